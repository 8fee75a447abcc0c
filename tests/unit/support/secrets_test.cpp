// What may not be shown of mount options and sources.
#include "support/secrets.hpp"

#include <doctest/doctest.h>

namespace diskproof {
namespace {

TEST_CASE("secrets: passwords and keys are masked, names and files are not") {
  struct Row {
    const char* text;
    const char* shown;
  };
  for (const Row& row :
       {Row{"", ""}, Row{"rw,vers=3.1.1,username=me,uid=0", "rw,vers=3.1.1,username=me,uid=0"},
        Row{"rw,password=hunter2,soft", "rw,password=***,soft"}, Row{"pass=x=y", "pass=***"},
        Row{"password2=b,passwd=c", "password2=***,passwd=***"}, Row{"user=me%hunter2,rw", "user=me%***,rw"},
        Row{"name=admin,secret=AQD==,mds", "name=admin,secret=***,mds"}, Row{"password=", "password="},
        Row{"passwd_file=/etc/s3", "passwd_file=/etc/s3"}, Row{"credentials=/etc/smb", "credentials=/etc/smb"},
        Row{":sftp,host=nas,pass=abc:/home", ":sftp,host=nas,pass=***"},
        Row{"https://me:hunter2@dav/x", "https://me:***@dav/x"}, Row{"https://me@dav/a:b", "https://me@dav/a:b"}}) {
    CAPTURE(row.text);
    CHECK(mask_secrets(row.text) == row.shown);
  }
}

}  // namespace
}  // namespace diskproof
