#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parse_host/channel.h"
#include "staged/status.h"

namespace staged {

// A child process that talks over its standard input, which is a socket. Killed and reaped with
// this object. Not thread-safe.
class WorkerProcess {
 public:
  // `command`: an absolute path and its arguments. The child gets no environment, and nothing of
  // this process's descriptors. Errors: kIoError.
  [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> Start(
      const std::vector<std::string>& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  [[nodiscard]] Channel& channel() { return channel_; }
  // Kills what still runs and says how the process ended: "signal 11", "exit code 4".
  [[nodiscard]] std::string Reap();
  [[nodiscard]] int process_id() const { return process_id_; }

 private:
  WorkerProcess(int process_id, Channel channel)
      : process_id_(process_id), channel_(std::move(channel)) {}

  int process_id_;  // -1 once reaped
  Channel channel_;
};

}  // namespace staged
