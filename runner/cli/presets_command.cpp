// `diskproof presets [NAME]`: the job files that come with the runner, one line each; or the text of one, to start a
// job of one's own from.
#include <algorithm>
#include <fmt/format.h>
#include <ostream>

#include "cli/commands.hpp"
#include "job/job_loader.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"
#include "support/regular_file.hpp"

namespace diskproof {
namespace {

void list_presets(const Places& places, Terminal& terminal) {
  const std::vector<std::string> names = preset_names(places);
  if (names.empty()) {
    throw Error(ErrorKind::unavailable,
                "there are no presets in " + text_of(preset_folder(places)) + "; is the installation complete?");
  }
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (const std::string& name : names) {
    const LoadedJob loaded = load_job(find_preset(name, places), {});
    terminal.show(fmt::format("{:{}}  {}\n", name, width, loaded.job.description));
  }
  terminal.out
      << "\nrun one: diskproof run NAME --set path=FOLDER; see its text and variables: diskproof presets NAME\n";
}

void show_preset(const std::string& name, const Places& places, Terminal& terminal) {
  const std::string path = find_preset(name, places);
  terminal.show(read_file(path));
}

}  // namespace

int presets_command(const PresetsRequest& request, const Places& places, Terminal& terminal) {
  if (request.name.empty()) {
    list_presets(places, terminal);
  } else {
    show_preset(request.name, places, terminal);
  }
  return 0;
}

}  // namespace diskproof
