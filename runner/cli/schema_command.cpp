// `diskproof schema [job|result|junit]`.
#include <fstream>
#include <iterator>
#include <ostream>

#include "cli/commands.hpp"
#include "job/job_schema.hpp"
#include "support/error.hpp"
#include "support/path_text.hpp"

namespace diskproof {
namespace {

std::string read_schema(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw Error(ErrorKind::unavailable,
                "the schema " + text_of(file) + " cannot be read; is the installation complete?");
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

int schema_command(const SchemaRequest& request, const Places& places, Terminal& terminal) {
  const std::filesystem::path folder = places.share / "schemas";
  if (request.which == "job") {
    terminal.out << job_schema_text();  // what the reader itself checks against
  } else {
    terminal.out << read_schema(folder / (request.which == "junit" ? "junit.xsd" : "result.schema.json"));
  }
  return 0;
}

}  // namespace diskproof
