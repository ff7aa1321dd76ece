// Submits of many processes, and the least that as many durable commits and publications cost.

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "bench/measure.h"

namespace staged::bench {
namespace {

constexpr size_t kFileBytes = 4096;

std::string FileBytes(int process, int number) {
  std::string bytes;
  while (bytes.size() < kFileBytes) {
    bytes += "process " + std::to_string(process) + " file " + std::to_string(number) + " line " +
             std::to_string(bytes.size()) + "\n";
  }
  return bytes.substr(0, kFileBytes);
}

// Forks; each child gets ready, tells so, waits for all others, works, and ends. Gives the seconds
// between the moment all are ready and the end of the last.
double TimeProcesses(int processes,
                     const std::function<std::function<void()>(int process)>& get_ready) {
  int ready[2];
  int start[2];
  CheckCall(pipe(ready), "pipe");
  CheckCall(pipe(start), "pipe");
  for (int process = 0; process < processes; ++process) {
    const pid_t child = fork();
    CheckCall(child < 0 ? 1 : 0, "fork");
    if (child != 0) continue;
    close(start[1]);
    const std::function<void()> work = get_ready(process);
    char byte = 'r';
    CheckCall(write(ready[1], &byte, 1) == 1 ? 0 : 1, "telling");
    CheckCall(read(start[0], &byte, 1) == 0 ? 0 : 1, "waiting");  // ends when all are ready
    work();
    _exit(0);
  }
  close(start[0]);
  close(ready[1]);  // so that a child that dies ends the wait
  for (int process = 0; process < processes; ++process) {
    char byte = 0;
    CheckCall(read(ready[0], &byte, 1) == 1 ? 0 : 1, "waiting for the children");
  }
  const double begin = Seconds();
  close(start[1]);
  for (int process = 0; process < processes; ++process) {
    int status = 0;
    CheckCall(wait(&status) > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1, "a child");
  }
  const double seconds = Seconds() - begin;
  close(ready[0]);
  close(ready[1]);
  return seconds;
}

void Print(double seconds, int submits) {
  std::printf("{\"seconds\": %f, \"per_second\": %f}\n", seconds, submits / seconds);
}

}  // namespace

// Each process stages and reviews its files, one a branch; then all submit them, one by one.
int RunSubmits(const Arguments& arguments) {
  const int processes = std::atoi(arguments[1].c_str());
  const int each = std::atoi(arguments[2].c_str());
  const double seconds = TimeProcesses(processes, [&](int process) -> std::function<void()> {
    auto opened = std::make_shared<OpenedWorkspace>(arguments[0]);
    auto calls = std::make_shared<std::vector<CallContext>>();
    for (int number = 0; number < each; ++number) {
      CallContext call;
      call.branch = "p" + std::to_string(process) + "-" + std::to_string(number);
      const std::string path =
          "folder" + std::to_string(process) + "/file" + std::to_string(number) + ".txt";
      OrDie(opened->workspace->Write(call, path, {}, FileBytes(process, number)));
      OrDie(opened->workspace->Review(call, {path}));
      calls->push_back(std::move(call));
    }
    return [opened, calls] {
      for (const CallContext& call : *calls) {
        const SubmitAnswer answer = OrDie(opened->workspace->Submit(call, {}, {}));
        CheckCall(answer.submitted.size() == 1 ? 0 : 1, "a submit");
      }
    };
  });
  Print(seconds, processes * each);
  return 0;
}

// One FULL SQLite commit plus temporary file, fsync, rename and fsync of the directory.
int RunCommits(const Arguments& arguments) {
  const int processes = std::atoi(arguments[1].c_str());
  const int each = std::atoi(arguments[2].c_str());
  const std::string& folder = arguments[0];
  const std::string path = folder + "/commits.db";
  const auto execute = [](sqlite3* database, const char* sql) {
    CheckCall(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), sql);
  };
  sqlite3* made = nullptr;
  CheckCall(sqlite3_open(path.c_str(), &made), "opening");
  execute(made, "PRAGMA journal_mode=WAL; CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT)");
  CheckCall(sqlite3_close(made), "closing");
  const double seconds = TimeProcesses(processes, [&](int process) -> std::function<void()> {
    sqlite3* database = nullptr;
    CheckCall(sqlite3_open(path.c_str(), &database), "opening");
    sqlite3_busy_timeout(database, 60'000);
    execute(database, "PRAGMA synchronous=FULL");
    const std::string own = folder + "/folder" + std::to_string(process);
    CheckCall(access(own.c_str(), F_OK), "the process's folder");
    return [=] {
      for (int number = 0; number < each; ++number) {
        execute(database, "BEGIN IMMEDIATE; INSERT INTO note(text) VALUES('submitted'); COMMIT");
        const std::string bytes = FileBytes(process, number);
        const std::string name = own + "/file" + std::to_string(number) + ".txt";
        const std::string temporary = folder + "/temporary" + std::to_string(process);
        const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
        CheckCall(file < 0 ? 1 : 0, "creating");
        CheckCall(write(file, bytes.data(), bytes.size()) == ssize_t(bytes.size()) ? 0 : 1,
                  "write");
        CheckCall(fsync(file), "fsync");
        CheckCall(close(file), "close");
        CheckCall(rename(temporary.c_str(), name.c_str()), "rename");
        const int directory = open(own.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        CheckCall(fsync(directory), "fsync of the directory");
        close(directory);
      }
    };
  });
  Print(seconds, processes * each);
  return 0;
}

}  // namespace staged::bench
