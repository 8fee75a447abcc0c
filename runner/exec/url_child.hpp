// Both ends of a child that has an engine at work on a URL, for names and small files: the parent's session, and what
// the child does with its orders.
#pragma once

#include <memory>
#include <string>

#include "exec/child_channel.hpp"
#include "target/url_session.hpp"

namespace diskproof {

// Starts `executable` as the child and connects. Throws Error, in the engine's words where it has some.
std::unique_ptr<UrlSession> open_url_session(const std::string& executable, const UrlPlace& place);

// The child: the place is connected, orders are answered until the parent closes its end. Throws Error when it cannot
// connect.
void serve_url_session(ChildChannel& channel, const std::string& place);

}  // namespace diskproof
