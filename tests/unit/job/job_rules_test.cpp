// Every rule between keys, one row each: the keys of a phase, and the one fault that they give.
#include <doctest/doctest.h>

#include "unit/job/job_text.hpp"

using namespace diskproof;

namespace {

struct Row {
  std::string name;
  std::string keys;  // of the phase; the first stands in line 9
  std::string says;  // the only diagnostic without file and "error: "; empty: none
};

void check_rows(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const LoadedJob loaded = load_job_text(test::job_with_phase(row.keys), "t");
    std::string found;
    for (const std::string& text : test::texts(loaded.diagnostics)) found += text.substr(2) + "\n";
    CHECK(found == (row.says.empty() ? "" : row.says + "\n"));
  }
}

// The same with another line for the disk.
std::string on_disk(std::string_view disk, std::string_view keys) {
  std::string text = test::job_with_phase(keys);
  const std::string before = "data: {virtual: {size: 1GiB}}";
  return text.replace(text.find(before), before.size(), disk);
}

}  // namespace

TEST_CASE("job rules: block sizes") {
  check_rows({
      {"smallest", "duration: 1s\nblock_size: 512B", ""},
      {"largest", "duration: 1s\nblock_size: 1GiB", ""},
      {"below the smallest", "duration: 1s\nblock_size: 511B",
       "10:5 error: phases[0].block_size: 511 B is outside 512B to 1GiB"},
      {"zero", "duration: 1s\nblock_size: 0B", "10:5 error: phases[0].block_size: 0 B is outside 512B to 1GiB"},
      {"above the largest", "duration: 1s\nblock_size: 2GiB",
       "10:5 error: phases[0].block_size: 2 GiB is outside 512B to 1GiB"},
      {"whole sectors, a RAID stripe of three", "duration: 1s\nblock_size: 192KiB", ""},
      {"not whole sectors with direct I/O", "duration: 1s\nblock_size: 4kB",
       "10:5 error: phases[0].block_size: 4000 bytes cannot be used with direct I/O, which takes multiples of 512B; "
       "write 3584B or 4096B, or direct: false"},
      {"not whole sectors without direct I/O", "duration: 1s\nblock_size: 4kB\ndirect: false", ""},
  });
}

TEST_CASE("job rules: sizes and regions") {
  check_rows({
      {"whole disk by default", "duration: 1s", ""},
      {"percent of a virtual disk", "duration: 1s\nsize: 50%", ""},
      {"zero", "duration: 1s\nsize: 0B", "10:5 error: phases[0].size: is zero"},
      {"zero percent", "duration: 1s\nsize: 0%", "10:5 error: phases[0].size: is zero"},
      {"over 100 percent", "duration: 1s\nsize: 101%", "10:5 error: phases[0].size: 101% is more than the whole"},
      {"more than the disk", "duration: 1s\nsize: 2GiB",
       "10:5 error: phases[0].size: 2 GiB is more than the disk's 1 GiB"},
      {"less than a block", "duration: 1s\nsize: 2KiB",
       "10:5 error: phases[0].size: 2 KiB is less than one block of 4 KiB"},
      {"region inside", "duration: 1s\nsize: 1MiB\nregion: {from: 512KiB, size: 512KiB}", ""},
      {"region from the middle", "duration: 1s\nsize: 1MiB\nregion: {from: 50%}", ""},
      {"region beyond the end", "duration: 1s\nsize: 1MiB\nregion: {from: 1MiB}",
       "11:14 error: phases[0].region.from: is at or after the end of the file"},
      {"region too long", "duration: 1s\nsize: 1MiB\nregion: {from: 512KiB, size: 1MiB}",
       "11:28 error: phases[0].region.size: reaches beyond the file, which has 512 KiB after region.from"},
      {"region of nothing", "duration: 1s\nregion: {size: 0B}", "10:14 error: phases[0].region.size: is zero"},
      {"region less than a block", "duration: 1s\nregion: {size: 512B}",
       "10:14 error: phases[0].region.size: 512 B is less than one block of 4 KiB"},
      {"region over 100 percent", "duration: 1s\nsize: 1MiB\nregion: {size: 150%}",
       "11:14 error: phases[0].region.size: 150% is more than the whole"},
      {"a block for each thread", "duration: 1s\nsize: 16KiB\nthreads: 4", ""},
      {"more threads than blocks", "duration: 1s\nsize: 16KiB\nthreads: 5",
       "11:5 error: phases[0].threads: 5 threads share 4 blocks; each needs one of its own; use fewer threads, a "
       "larger size or smaller blocks"},
      {"more threads than blocks of the region", "duration: 1s\nregion: {from: 0B, size: 16KiB}\nthreads: 5",
       "11:5 error: phases[0].threads: 5 threads share 4 blocks; each needs one of its own; use fewer threads, a "
       "larger size or smaller blocks"},
      // Percentages are rounded down to whole blocks, as the plan does: 60% of 10 blocks of a file of 70% of the disk.
      {"threads of a rounded region", "duration: 1s\nblock_size: 64MiB\nsize: 70%\nregion: {size: 60%}\nthreads: 6",
       ""},
      {"more threads than a rounded region has blocks",
       "duration: 1s\nblock_size: 64MiB\nsize: 70%\nregion: {size: 60%}\nthreads: 7",
       "13:5 error: phases[0].threads: 7 threads share 6 blocks; each needs one of its own; use fewer threads, a "
       "larger size or smaller blocks"},
      {"region that rounds to nothing", "duration: 1s\nblock_size: 256MiB\nregion: {size: 20%}",
       "11:5 error: phases[0].region: holds no whole block of 256 MiB; use a larger region or smaller blocks"},
      {"rest of less than a block", "duration: 1s\nblock_size: 256MiB\nsize: 1GiB\nregion: {from: 900MiB}",
       "12:5 error: phases[0].region: holds no whole block of 256 MiB; use a larger region or smaller blocks"},
      {"share that rounds to nothing", "duration: 1s\nblock_size: 256MiB\nsize: 20%",
       "11:5 error: phases[0].size: the disk has no whole block of 256 MiB for it; use a larger disk or smaller "
       "blocks"},
  });
}

TEST_CASE("job rules: operations") {
  check_rows({
      {"sum within a hundredth", "duration: 1s\noperations: {read: 33.333%, write: 66.66%}", ""},
      {"sum too small", "duration: 1s\noperations: {read: 70%}",
       "10:5 error: phases[0].operations: the shares sum to 70%, not to 100%"},
      {"sum too large", "duration: 1s\noperations: {read: 70%, write: 30.5%}",
       "10:5 error: phases[0].operations: the shares sum to 100.5%, not to 100%"},
      {"empty mix", "duration: 1s\noperations: {}",
       "10:17 error: phases[0].operations: is an empty map; at least one entry is needed"},
      {"trims alone", "duration: 1s\noperations: trim", ""},
      {"trims among others", "duration: 1s\noperations: {read: 60%, write: 30%, trim: 10%}", ""},
      {"sum too small with trims", "duration: 1s\noperations: {read: 60%, trim: 10%}",
       "10:5 error: phases[0].operations: the shares sum to 70%, not to 100%"},
      {"share without a sign", "duration: 1s\noperations: {read: 70, write: 30%}",
       "10:24 error: phases[0].operations.read: '70' has no percent sign; write 70%"},
      {"unwritten reads of a virtual disk", "duration: 1s\nlayout: none", ""},
  });
}

TEST_CASE("job rules: CPUs") {
  check_rows({
      {"numbers and ranges", "duration: 1s\ncpus: [0, 2-3, \"5-5\"]", ""},
      {"listed twice", "duration: 1s\ncpus: [1, \"0-2\"]",
       "10:5 error: phases[0].cpus: CPU 1 is listed twice; list each CPU once"},
      {"none", "duration: 1s\ncpus: []", "10:11 error: phases[0].cpus: is an empty list; at least one entry is needed"},
      {"not a list", "duration: 1s\ncpus: 1", "10:11 error: phases[0].cpus: '1' is not a list"},
      {"negative", "duration: 1s\ncpus: [-1]", "10:12 error: phases[0].cpus[0]: -1 is outside 0 to 65535"},
      {"backwards", "duration: 1s\ncpus: [0, 3-2]", "10:15 error: phases[0].cpus[1]: '3-2' ends before it starts"},
      {"a word", "duration: 1s\ncpus: [all]",
       "10:12 error: phases[0].cpus[0]: 'all' is not a CPU or a range of them such as \"2-3\""},
  });
}

TEST_CASE("job rules: rates") {
  check_rows({
      {"operations per second", "duration: 1s\nrate: {iops: 0.5}", ""},
      {"bandwidth, evenly", "duration: 1s\nrate: {bandwidth: 100MB/s, arrival: constant}", ""},
      {"share of a limit", "duration: 1s\nlimits: {read.iops: 5}\nrate: {iops: 99.5% of limit}", ""},
      {"nothing", "duration: 1s\nrate: {arrival: constant}",
       "10:11 error: phases[0].rate: says no rate; add one of iops, bandwidth"},
      {"both", "duration: 1s\nrate: {iops: 5, bandwidth: 1MB/s}",
       "10:21 error: phases[0].rate.bandwidth: a second rate; iops is given too; keep one of them"},
      {"a bare number", "duration: 1s\nrate: 5", "10:11 error: phases[0].rate: '5' is not a map"},
      {"no iops at all", "duration: 1s\nrate: {iops: 0}",
       "10:18 error: phases[0].rate.iops: 0 is outside 0.001 to 1000000000"},
      {"negative", "duration: 1s\nrate: {iops: -1}",
       "10:18 error: phases[0].rate.iops: -1 is outside 0.001 to 1000000000"},
      {"too many", "duration: 1s\nrate: {iops: 1000000001}",
       "10:18 error: phases[0].rate.iops: 1000000001 is outside 0.001 to 1000000000"},
      {"a share of nothing", "duration: 1s\nrate: {iops: 80%}",
       "10:18 error: phases[0].rate.iops: is not a share of the limit; write for example 80% of limit"},
      {"a share of zero", "duration: 1s\nlimits: {read.iops: 5}\nrate: {iops: 0% of limit}",
       "11:12 error: phases[0].rate.iops: is zero; leave `rate` out for a closed loop"},
      {"no bandwidth at all", "duration: 1s\nrate: {bandwidth: 0MB/s}",
       "10:12 error: phases[0].rate.bandwidth: is zero; leave `rate` out for a closed loop"},
      {"a bandwidth without time", "duration: 1s\nrate: {bandwidth: 5MB}",
       "10:23 error: phases[0].rate.bandwidth: '5MB' is not a bandwidth such as 500MB/s or a share such as 80% of "
       "limit"},
      {"a bandwidth without unit", "duration: 1s\nrate: {bandwidth: 5}",
       "10:23 error: phases[0].rate.bandwidth: '5' has no unit; write 5MB/s or 5MiB/s"},
      {"random arrivals", "duration: 1s\nrate: {iops: 5, arrival: poisson}", ""},
      {"unknown arrivals", "duration: 1s\nrate: {iops: 5, arrival: poison}",
       "10:30 error: phases[0].rate.arrival: 'poison' is not one of constant, poisson; did you mean poisson?"},
  });
}

TEST_CASE("job rules: what would overflow, collide or never end") {
  CHECK(test::joined(load_job_text(test::job_with_phase("duration: 1s\nsize: 18446744073709551615B"), "t").diagnostics)
            .find("phases[0].size: ") != std::string::npos);
  CHECK(test::joined(load_job_text(test::job_with_phase("duration: 1s\nsample: 1us"), "t").diagnostics) ==
        "t:10:5 error: phases[0].sample: is shorter than 1ms, too short to hold a measurement; use 1ms or more\n");
  const std::string text =
      "diskproof: 1\nname: t\ndisks: {d: {virtual: {size: 1MiB}, engine: sim}}\nphases:\n  - {name: "
      "layout/d, disk: d, duration: 1s}\n";
  CHECK(test::joined(load_job_text(text, "t").diagnostics).find("do not start a name with layout/") !=
        std::string::npos);
}

TEST_CASE("job rules: engines") {
  check_rows({
      {"sync at depth one", "duration: 1s\nthreads: 4", ""},
      {"depth too large", "duration: 1s\nqueue_depth: 65537",
       "10:18 error: phases[0].queue_depth: 65537 is outside 1 to 65536"},
      {"depth zero", "duration: 1s\nqueue_depth: 0", "10:18 error: phases[0].queue_depth: 0 is outside 1 to 65536"},
      {"many threads", "duration: 1s\nthreads: 4097", "10:14 error: phases[0].threads: 4097 is outside 1 to 4096"},
      {"seed too large", "duration: 1s\nseed: 18446744073709551616",
       "10:11 error: phases[0].seed: '18446744073709551616' is too large"},
  });
  const auto with_engine = [](std::string_view engine, std::string_view keys) {
    std::string text = test::job_with_phase(keys);
    const std::string before = "engine: \"null\"";
    return test::joined(load_job_text(text.replace(text.find(before), before.size(), engine), "t").diagnostics);
  };
  CHECK(with_engine("engine: sync", "duration: 1s\nqueue_depth: 2").find("use threads: 2, or another engine") !=
        std::string::npos);
  CHECK(with_engine("engine: {name: sync}", "duration: 1s\nqueue_depth: 2").find("use threads: 2") !=
        std::string::npos);
  CHECK(with_engine("engine: [sync]", "duration: 1s\nqueue_depth: 2").find("use threads: 2") != std::string::npos);
  CHECK(with_engine("engine: [io_uring, sync]", "duration: 1s\nqueue_depth: 2").empty());
  CHECK(with_engine("engine: IO-uring", "duration: 1s").find("'IO-uring' is not the name of an engine") !=
        std::string::npos);
  CHECK(with_engine("seed: 1", "duration: 1s") ==
        "t:6:5 error: phases[0].engine: is missing; name one in the phase, its disk or defaults, for example engine: "
        "io_uring\n");
  CHECK(with_engine("engine: {sqpoll: true}", "duration: 1s") ==
        "t:8:13 error: phases[0].engine: the key 'name' is missing\n");
  CHECK(with_engine("engine: {name: sim, x: [1]}", "duration: 1s") ==
        "t:8:28 error: phases[0].engine.x: is a list; expected text or a number or true or false\n");
}

TEST_CASE("job rules: stop rules and times") {
  check_rows({
      {"no rule", "threads: 1", "6:5 error: phases[0]: has no stop rule; add one of duration, bytes, operations_count"},
      {"two rules", "duration: 1s\noperations_count: 5",
       "10:5 error: phases[0].operations_count: a second stop rule; duration is given too; keep one of them"},
      {"no time", "duration: 0s", "9:5 error: phases[0].duration: is zero"},
      {"no bytes", "bytes: 0B", "9:5 error: phases[0].bytes: is zero"},
      {"no operations", "operations_count: 0", "9:23 error: phases[0].operations_count: 0 is below 1"},
      {"bytes less than a block", "bytes: 1KiB", "9:5 error: phases[0].bytes: 1 KiB is less than one block of 4 KiB"},
      {"no warm-up", "duration: 1s\nwarmup: 0s", ""},
      {"sample of nothing", "duration: 1s\nsample: 0ms", "10:5 error: phases[0].sample: is zero"},
      {"sample too long", "duration: 1s\nsample: 2s", "10:5 error: phases[0].sample: is longer than the duration"},
      {"sample too short", "duration: 1h\nsample: 1ms",
       "10:5 error: phases[0].sample: gives more than 1000000 intervals; use a longer one"},
      {"intervals of the default sample", "duration: 278h",
       "9:5 error: phases[0].duration: gives more than 1000000 intervals of 1s; add a longer `sample`"},
      {"a longer sample has fewer", "duration: 8760h\nsample: 1min", ""},
      {"duration too long", "duration: 8761h\nsample: 1min",
       "9:15 error: phases[0].duration: '8761h' is longer than 8760h, which is a year and the most that a job can say"},
      {"pause too long", "duration: 1s\npause: 2000000h",
       "10:12 error: phases[0].pause: '2000000h' is longer than 8760h, which is a year and the most that a job can "
       "say"},
      {"timeout of nothing", "duration: 1s\ntimeout: 0s", "10:5 error: phases[0].timeout: is zero"},
      {"timeout too short", "duration: 1s\nwarmup: 1s\ntimeout: 2s",
       "11:5 error: phases[0].timeout: is not longer than warmup and duration together, so the phase could never end "
       "well; make it longer"},
      {"timeout just long enough", "duration: 1s\nwarmup: 1s\ntimeout: 2001ms", ""},
      {"io_timeout of nothing", "duration: 1s\nio_timeout: 0s", "10:5 error: phases[0].io_timeout: is zero"},
      {"io_timeout that nobody looks for", "duration: 1s\nio_timeout: 99ms",
       "10:5 error: phases[0].io_timeout: is shorter than 100ms, the time between two looks at what is in flight; use "
       "100ms or more"},
      {"shortest io_timeout", "duration: 1s\nio_timeout: 100ms", ""},
  });
}

TEST_CASE("job rules: what depends on the disk") {
  struct DiskRow {
    std::string name;
    std::string disk;
    std::string keys;
    std::string says;
  };
  const DiskRow rows[]{
      {"file", "data: {file: x}", "duration: 1s\nsize: 1MiB", ""},
      {"file without size", "data: {file: x}", "duration: 1s",
       "6:5 error: phases[0].size: is missing; say how much of the file is used, for example size: 1GiB"},
      {"percent of a directory", "data: {directory: x}", "duration: 1s\nsize: 100%", ""},
      {"percent of a file", "data: {file: x}", "duration: 1s\nsize: 50%\nregion: {from: 10%}", ""},
      {"more than all of a file", "data: {file: x}", "duration: 1s\nsize: 101%",
       "10:5 error: phases[0].size: 101% is more than the whole"},
      {"files of a file", "data: {file: x}", "duration: 1s\nsize: 1MiB\nfiles: {count: 1}",
       "11:5 error: phases[0].files: belongs to a disk with a folder; this one is one file to all threads; remove it"},
      {"files that threads share", "data: {directory: x}",
       "duration: 1s\nsize: 8KiB\nthreads: 4\nfiles: {count: 2}\nshared: true", ""},
      {"files without a thread", "data: {directory: x}", "duration: 1s\nsize: 1MiB\nthreads: 2\nfiles: {count: 3}",
       "12:13 error: phases[0].files.count: 2 threads cannot work on 3 files: each has one at a time; use threads: 3, "
       "or "
       "fewer files"},
      {"files of one block for two threads", "data: {directory: x}",
       "duration: 1s\nsize: 4KiB\nthreads: 3\nfiles: {count: 2}",
       "11:5 error: phases[0].threads: 2 threads share 1 block; each needs one of its own; use fewer threads, a "
       "larger "
       "size or smaller blocks"},
      {"no number of files", "data: {directory: x}", "duration: 1s\nsize: 1MiB\nfiles: {}",
       "11:12 error: phases[0].files: the key 'count' is missing"},
      {"shared files with a thread each", "data: {directory: x}",
       "duration: 1s\nsize: 1MiB\nthreads: 2\nfiles: {count: 2}\nshared: true",
       "13:5 error: phases[0].shared: each thread has a file of its own here; use a file disk, or fewer files"},
      {"allocated reads", "data: {file: x}", "duration: 1s\nsize: 1MiB\nlayout: allocated",
       "11:5 error: phases[0].layout: allocated with reads would read what was never written; use layout: written"},
      {"allocated writes", "data: {file: x}", "duration: 1s\nsize: 1MiB\nlayout: allocated\noperations: write", ""},
      {"allocated mix", "data: {directory: x}",
       "duration: 1s\nsize: 1MiB\nlayout: allocated\noperations: {read: 1%, write: 99%}",
       "11:5 error: phases[0].layout: allocated with reads would read what was never written; use layout: written"},
      {"unwritten reads", "data: {file: x}", "duration: 1s\nsize: 1MiB\nlayout: none",
       "11:5 error: phases[0].layout: none with reads would read what was never written; use layout: written"},
      {"unwritten writes", "data: {file: x}", "duration: 1s\nsize: 1MiB\nlayout: none\noperations: write", ""},
      {"threads with a file each", "data: {directory: x}", "duration: 1s\nsize: 4KiB\nthreads: 8", ""},
      {"threads on one file", "data: {file: x}", "duration: 1s\nsize: 4KiB\nthreads: 2",
       "11:5 error: phases[0].threads: 2 threads share 1 block; each needs one of its own; use fewer threads, a "
       "larger size or smaller blocks"},
      {"near name", "date: {file: x}", "duration: 1s",
       "7:5 error: phases[0].disk: 'data' is not a disk of this job; did you mean date?"},
      {"no near name", "other: {file: x}", "duration: 1s",
       "7:5 error: phases[0].disk: 'data' is not a disk of this job; disks of this job: other"},
  };
  for (const DiskRow& row : rows) {
    CAPTURE(row.name);
    const LoadedJob loaded = load_job_text(on_disk(row.disk, row.keys), "t");
    CHECK(test::joined(loaded.diagnostics) == (row.says.empty() ? "" : "t:" + row.says + "\n"));
  }
}
