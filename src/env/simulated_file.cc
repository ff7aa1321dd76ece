#include <algorithm>
#include <utility>

#include "env/simulated_machine.h"

namespace staged::simulated {
namespace {

// More would need more memory for the list of blocks than it is worth.
constexpr uint64_t kFileBytesMax = uint64_t{1} << 34;

class SimulatedFile : public File {
 public:
  SimulatedFile(std::shared_ptr<Machine> machine, const Caller& caller, NodeId id, bool is_writable,
                std::string path)
      : machine_(std::move(machine)),
        caller_(caller),
        id_(id),
        is_writable_(is_writable),
        path_(std::move(path)) {
    machine_->OpenNode(id_, caller_, is_writable_);
  }
  ~SimulatedFile() override {
    const std::lock_guard<std::mutex> guard(machine_->mutex);
    machine_->CloseNode(id_, caller_, is_writable_);
  }

  Result<std::string> ReadAt(uint64_t offset, uint64_t size_bytes) override {
    return RunCall(*machine_, caller_, CallKind::kRead, [&]() -> Result<std::string> {
      return machine_->disk.Get(id_).content.Read(offset, size_bytes);
    });
  }

  Status WriteAt(uint64_t offset, std::string_view bytes) override;
  Status Truncate(uint64_t size_bytes) override;
  Status Sync() override;

  Result<FileStatus> GetStatus() override {
    return RunCall(*machine_, caller_, CallKind::kRead,
                   [&]() -> Result<FileStatus> { return ToFileStatus(machine_->disk, id_); });
  }

 private:
  [[nodiscard]] Status CheckWritable(uint64_t size_bytes) const {
    if (!is_writable_) {
      return Failure(ErrorCode::kIoError, "write", path_, "it is open for reading only");
    }
    if (size_bytes > kFileBytesMax) {
      return Failure(ErrorCode::kLimitExceeded, "write", path_, "the file would be too large");
    }
    return OkStatus();
  }

  const std::shared_ptr<Machine> machine_;
  const Caller caller_;
  const NodeId id_;
  const bool is_writable_;
  const std::string path_;
};

Status SimulatedFile::WriteAt(uint64_t offset, std::string_view bytes) {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  STAGED_RETURN_IF_ERROR(CheckWritable(offset > kFileBytesMax ? offset : offset + bytes.size()));
  Machine& machine = *machine_;
  const Machine::Verdict verdict = machine.BeginCall(caller_, CallKind::kAllocate);
  const auto write = [&](uint64_t from, uint64_t to) {
    machine.disk.Write(id_, offset + from, bytes.substr(from, to - from), machine.FileTimeNs());
  };
  if (verdict.fault.has_value() && !bytes.empty()) {
    // A failed write may have begun, an interrupted one is made in two.
    const uint64_t done = machine.faults_random.Below(bytes.size());
    write(0, done);
    if (verdict.status.ok()) write(done, bytes.size());
  } else if (verdict.has_effect) {
    write(0, bytes.size());
  }
  machine.EndCall(caller_, verdict);
  return verdict.status;
}

Status SimulatedFile::Truncate(uint64_t size_bytes) {
  return RunCall(*machine_, caller_, CallKind::kChange, [&]() {
    Status status = CheckWritable(size_bytes);
    if (status.ok()) machine_->disk.Resize(id_, size_bytes, machine_->FileTimeNs());
    return status;
  });
}

Status SimulatedFile::Sync() {
  const std::lock_guard<std::mutex> guard(machine_->mutex);
  Machine& machine = *machine_;
  const Machine::Verdict verdict = machine.BeginCall(caller_, CallKind::kSync);
  if (verdict.has_effect) {
    machine.disk.SyncFile(id_);
  } else if (verdict.fault == Fault::kIoError && machine.faults_random.Flip()) {
    machine.disk.DropPendingData(id_, machine.faults_random);
  }
  machine.EndCall(caller_, verdict);
  return verdict.status;
}

}  // namespace

std::unique_ptr<File> NewFile(std::shared_ptr<Machine> machine, const Caller& caller, NodeId id,
                              bool is_writable, std::string path) {
  return std::make_unique<SimulatedFile>(std::move(machine), caller, id, is_writable,
                                         std::move(path));
}

}  // namespace staged::simulated
