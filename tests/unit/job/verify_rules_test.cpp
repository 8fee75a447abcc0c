// `verify`: what it may say, and what a phase that stamps or checks may say besides.
#include <doctest/doctest.h>

#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

// Of a job whose phase `first` stamps what it writes, and whose second one has `keys` in line 8.
LoadedJob loaded(const std::string& keys, const std::string& defaults = "") {
  return load_job_text(
      "diskproof: 1\nname: t\ndisks: {d: {file: x.dat, engine: sync}, v: {virtual: {size: 1GiB}, engine: sim}}\n"
      "defaults: {disk: d, size: 1MiB, duration: 1s" +
          defaults +
          "}\n\nphases:\n"
          "  - {name: first, operations: write, verify: write}\n"
          "  - {name: own, " +
          keys +
          "}\n"
          "  - {name: last, operations: write, verify: write}\n",
      "t");
}

std::string says(const std::string& keys) { return test::joined(loaded(keys).diagnostics); }

}  // namespace

TEST_CASE("verify: a phase may stamp, read back meanwhile, or check") {
  const LoadedJob writer = loaded("operations: write, verify: {write: true, during: 10%}");
  CHECK(test::joined(writer.diagnostics) == "");
  CHECK(writer.job.phases[0].verify.write);
  CHECK(writer.job.phases[0].verify.during == 0);
  CHECK(writer.job.phases[1].verify.during == 10);
  const LoadedJob check = loaded("verify: {of: first}");
  CHECK(test::joined(check.diagnostics) == "");
  CHECK(check.job.phases[1].verify.of == "first");
  CHECK(check.job.phases[1].verify.checks());
  CHECK(test::joined(loaded("verify: {manifest: old.manifest}, engine: io_uring, threads: 4").diagnostics) == "");
}

TEST_CASE("verify: a check takes nothing of a load from what it inherits") {
  const LoadedJob check = loaded("verify: {of: first}, engine: libaio",
                                 ", access: random, block_size: 8KiB, warmup: 1s, rate: {iops: 5}, "
                                 "fsync: {end: true}, max_errors: 3");
  CHECK(test::joined(check.diagnostics) == "");
  const Phase& phase = check.job.phases[1];
  CHECK(phase.access == Access::sequential);
  CHECK(phase.operations.read == 100);
  CHECK_FALSE(phase.rate);
  CHECK_FALSE(phase.size);
  CHECK(phase.warmup.count() == 0);
  CHECK(phase.max_errors == 0);
  CHECK(phase.layout == Layout::none);
  CHECK(phase.queue_depth == 8);
  CHECK(phase.verify.any_depth);
  CHECK_FALSE(loaded("verify: {of: first}, engine: libaio, queue_depth: 4").job.phases[1].verify.any_depth);
  CHECK(test::joined(loaded("verify: {of: first}").diagnostics) == "");  // engine: sync
}

TEST_CASE("verify: each wrong combination has a diagnostic of its own") {
  const std::string writes = "operations: write, verify: write, ";
  const std::string forms = "write verify: write, {write: true, during: N%}, {of: PHASE} or {manifest: FILE}";
  struct Row {
    std::string keys, says;
  };
  for (const Row& row : std::vector<Row>{
           {"verify: {of: frist}",
            "t:8:26 error: phases[1].verify.of: 'frist' is not a phase of this job; did you mean first?"},
           {"verify: {of: own}", "t:8:26 error: phases[1].verify.of: 'own' is the phase itself; name a writer"},
           {"verify: {of: last}",
            "t:8:26 error: phases[1].verify.of: 'last' runs after this phase; name an earlier phase, or move this one "
            "behind it"},
           {"verify: {of: first, manifest: m}",
            "t:8:37 error: phases[1].verify.manifest: a second source of what was written; of is given too; keep one "
            "of "
            "them"},
           {"verify: {of: first, write: true}",
            "t:8:37 error: phases[1].verify.write: a phase that checks what was written writes nothing itself; write "
            "two phases: one with verify: write, one with verify: {of: PHASE}"},
           {"verify: {during: 5%}",
            "t:8:25 error: phases[1].verify: reads back what the phase stamps, and it is not told to stamp anything; "
            "write verify: {write: true, during: 5%}"},
           {"verify: {of: first}, repeat: {count: 3, discard: 1}",
            "t:8:57 error: phases[1].repeat.discard: every run of a check counts: what one finds is a fault, whatever "
            "the "
            "others find; give the check `repeat: {discard: 0}`"},
           {"verify: {write: false}", "t:8:25 error: phases[1].verify: verifies nothing; " + forms},
           {"verify: read", "t:8:25 error: phases[1].verify: 'read' is not write or a map; " + forms},
           {"verify: load", "t:8:25 error: phases[1].verify: 'load' is not write or a map; " + forms},
           {"verify: true", "t:8:25 error: phases[1].verify: 'true' is not write or a map; " + forms},
           {"verify: {write: true, during: 0%}, operations: write",
            "t:8:47 error: phases[1].verify.during: 0% reads nothing back; write a share above 0% and up to 100%, or "
            "verify: write, which reads nothing back"},
           {"verify: {write: true, during: 0.5}, operations: write",
            "t:8:47 error: phases[1].verify.during: '0.5' has no percent sign; write 0.5% or 50%"},
           {"verify: write",
            "t:8:17 error: phases[1].verify: the phase writes nothing that could be stamped; let it "
            "write, or remove verify"},
           {"verify: {write: true, during: 101%}, operations: write",
            "t:8:47 error: phases[1].verify.during: 101% is more than the whole; write a share above 0% and up to "
            "100%, "
            "or verify: write, which reads nothing back"},
           {"verify: {of: first}, disk: v, engine: sim",
            "t:8:38 error: phases[1].disk: phase 'first' writes to disk d, and a virtual disk has nothing of another; "
            "use disk: d"},
           {"verify: {manifest: m}, disk: v, engine: sim",
            "t:8:26 error: phases[1].verify.manifest: a virtual disk keeps nothing from one run to the next; check it "
            "in the run that writes, with verify: {of: PHASE}"},
           {writes + "data: {dedupe: 10%}",
            "t:8:51 error: phases[1].data: stamped blocks are random and each of its own kind, so they neither dedupe "
            "nor compress; remove it, or verify in another phase"},
           {writes + "direct: false, block_size: 1000B",
            "t:8:66 error: phases[1].block_size: 1000 bytes are not whole sectors of 512B, which are stamped; use "
            "multiples of 512B"},
           {writes + "direct: false, region: {from: 100B}",
            "t:8:75 error: phases[1].region.from: byte 100 is inside a sector of 512B, which are stamped; use a "
            "multiple of 512B"},
           {"verify: {of: first}, operations: read",
            "t:8:38 error: phases[1].operations: has no meaning in a check of what was written; remove it: a check "
            "reads what was written, where it was written"},
           {"verify: {of: first}, duration: 1s",
            "t:8:38 error: phases[1].duration: has no meaning in a check of what was written; remove it: a check ends "
            "when everything was read"},
           {"verify: {of: first}, max_errors: 1",
            "t:8:38 error: phases[1].max_errors: has no meaning in a check of what was written; remove it: what cannot "
            "be read is counted as verify.unreadable"},
       }) {
    CAPTURE(row.keys);
    const std::string found = says(row.keys);
    CHECK(found == row.says + "\n");
  }
}

TEST_CASE("verify: a phase that is its fills stamps nothing") {
  const LoadedJob fills = load_job_text(
      "diskproof: 1\nname: t\ndisks: {d: {file: x.dat, engine: sync}}\nphases:\n"
      "  - {name: a, disk: d, size: 1MiB, precondition: {random: 1}, verify: write}\n",
      "t");
  CHECK(test::joined(fills.diagnostics) ==
        "t:5:63 error: phases[0].verify: a phase that only fills its region stamps nothing; add a stop rule and "
        "operations\n");
}
