// diskproof_smb_client BOARD INDEX: one connection to a share, asked by the engine through the board whose descriptor
// the first argument is. Without arguments it ends at once: it could be loaded. A program of its own because
// libsmbclient serves one thread of a process only, waits for each answer, and has another licence than the runner.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <sys/prctl.h>
#include <unistd.h>

#include "board_linux.hpp"
#include "share_linux.hpp"

namespace smb {
namespace {

constexpr std::uint64_t kWait = 1'000'000'000;  // ns of one wait for a question

int connect(Share& share, Mailbox& box, std::span<char> room) {
  Login login;
  login.server = box.text;
  login.share = box.text2;
  const char* at = room.data();
  for (std::string* text : {&login.domain, &login.user, &login.password}) {
    *text = at;
    at += text->size() + 1;
  }
  std::fill(room.data(), room.data() + (at - room.data()), '\0');
  login.port = static_cast<std::uint32_t>(box.offset);
  login.timeout_ms = static_cast<std::uint32_t>(box.length);
  login.encrypt = box.flags != 0;
  std::string words;
  const int result = share.connect(std::move(login), words);
  words.resize(std::min(words.size(), sizeof box.words - 1));
  put_text(box.words, words);
  return result;
}

int look(Share& share, Mailbox& box) {
  Status status;
  const int result = box.ask == Ask::look ? share.look(box.file, status) : share.stat(box.text, status);
  box.size = status.size;
  box.id = status.id;
  box.folder = status.folder ? 1 : 0;
  return result;
}

std::int64_t answer(Share& share, Mailbox& box, std::span<char> room) {
  box.words[0] = '\0';
  const std::size_t length = std::min<std::size_t>(box.length, room.size());
  switch (box.ask) {
    case Ask::connect:
      return connect(share, box, room);
    case Ask::open:
      return share.open(box.text, box.flags != 0);
    case Ask::read:
      return share.read(box.file, room.first(length), box.offset);
    case Ask::write:
      return share.write(box.file, room.first(length), box.offset);
    case Ask::look:
    case Ask::stat:
      return look(share, box);
    case Ask::create:
      return share.create(box.text, box.flags != 0);
    case Ask::touch:
      return share.touch(box.text);
    case Ask::truncate:
      return share.truncate(box.text, box.length);
    case Ask::unlink:
      return share.unlink(box.text);
    case Ask::rename:
      return share.rename(box.text, box.text2);
    case Ask::make_folder:
      return share.make_folder(box.text);
    case Ask::remove_folder:
      return share.remove_folder(box.text);
    case Ask::list:
      return share.list(box.text, room);
    case Ask::leave:
      break;
  }
  return -EINVAL;
}

void serve(const Board& board, std::uint32_t index) {
  Share share;
  Mailbox& box = board.mailbox(index);
  while (true) {
    const std::uint32_t turn = box.state.load(std::memory_order_acquire);
    if (turn != kAsked) {
      wait_while(box.state, turn, kWait);
      continue;
    }
    if (box.ask == Ask::leave) break;
    box.result = answer(share, box, board.room(index));
    box.state.store(kAnswered, std::memory_order_release);
    board.answers().fetch_add(1, std::memory_order_release);
    wake(board.answers());
  }
  share.close_all();
}

}  // namespace
}  // namespace smb

int main(int count, char** arguments) {
  if (count != 3) return 0;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() == 1) return 1;
  const smb::Board board(std::atoi(arguments[1]));
  smb::serve(board, static_cast<std::uint32_t>(std::atoi(arguments[2])));
  return 0;
}
