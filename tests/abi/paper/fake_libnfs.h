// The few declarations of libnfs that the paper engine needs, in the shape of its asynchronous interface.
#pragma once

#include <cstddef>
#include <cstdint>

struct nfs_context;
struct nfsfh;
using nfs_cb = void (*)(int status, nfs_context* nfs, void* data, void* private_data);

extern "C" {
nfs_context* nfs_init_context();
void nfs_destroy_context(nfs_context* nfs);
const char* nfs_get_error(nfs_context* nfs);
int nfs_mount_url(nfs_context* nfs, const char* url);  // blocking
int nfs_open(nfs_context* nfs, const char* path, int flags, nfsfh** file);
int nfs_close(nfs_context* nfs, nfsfh* file);
int nfs_pread_async(nfs_context* nfs, nfsfh* file, std::uint64_t offset, std::uint64_t count, nfs_cb cb, void* data);
int nfs_pwrite_async(nfs_context* nfs, nfsfh* file, std::uint64_t offset, std::uint64_t count, const void* from,
                     nfs_cb cb, void* data);
int nfs_fsync_async(nfs_context* nfs, nfsfh* file, nfs_cb cb, void* data);
int nfs_mkdir_async(nfs_context* nfs, const char* path, nfs_cb cb, void* data);
int nfs_unlink_async(nfs_context* nfs, const char* path, nfs_cb cb, void* data);
int nfs_get_fd(nfs_context* nfs);
int nfs_which_events(nfs_context* nfs);
int nfs_service(nfs_context* nfs, int revents);
}
