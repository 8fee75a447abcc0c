// From the errno of libsmbclient to the contract's codes.
#pragma once

#include <cerrno>

#include <diskproof/engine_services.hpp>

namespace smb {

inline dp_code code_of(int error) noexcept {
  switch (error) {
    case EKEYREJECTED:  // what the client makes of a refused name or password
      return DP_EAUTH;
    case ECHILD:
    case ECONNABORTED:
    case ECONNREFUSED:
    case ECONNRESET:
    case ENOTCONN:
    case EPIPE:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETRESET:
      return DP_ENODEV;
    case ETXTBSY:  // NT_STATUS_SHARING_VIOLATION
      return DP_EBUSY;
    default:
      return dp::code_from_errno(error);
  }
}

}  // namespace smb
