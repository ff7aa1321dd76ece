#include "store/bundle.h"

#include <algorithm>
#include <cstring>

#include "base/binary.h"
#include "store/checksum.h"

namespace staged {
namespace {

constexpr size_t kCheckedHeadSizeBytes = kBundleHeadSizeBytes - sizeof(uint64_t);
constexpr uint8_t kSameHashFlag = 0x80;  // in the codec byte: the payload is the whole content

Status Damaged(std::string_view what) {
  return Status(ErrorCode::kDataLoss, "bundle header: " + std::string(what));
}

std::string_view IdView(const BundleId& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

void PutKey(BinaryWriter& writer, const BundleKey& key) {
  writer.PutHash(key.hash);
  writer.PutRaw(IdView(key.id));
}

BundleKey GetKey(BinaryReader& reader) {
  BundleKey key;
  key.hash = reader.GetHash();
  const std::string_view raw = reader.GetRaw(key.id.size());
  if (raw.size() == key.id.size()) std::memcpy(key.id.data(), raw.data(), raw.size());
  return key;
}

void PutSteps(BinaryWriter& writer, const BundleHeader& header) {
  writer.PutString(header.encoder);
  writer.PutUnsigned(header.homes.size());
  for (const BundleKey& home : header.homes) PutKey(writer, home);
  writer.PutUnsigned(header.steps.size());
  for (const Step& step : header.steps) {
    writer.PutByte(static_cast<uint8_t>(step.kind));
    if (step.kind == StepKind::kCopy) {
      writer.PutUnsigned(step.home);
      writer.PutUnsigned(step.first);
    } else {
      writer.PutUnsigned(step.size_bytes);
    }
    writer.PutUnsigned(step.count);
  }
}

void PutPayloads(BinaryWriter& writer, const BundleHeader& header) {
  writer.PutUnsigned(header.payloads.size());
  uint32_t next_ordinal = 0;
  for (const Payload& payload : header.payloads) {
    const bool same_hash = payload.hash == header.key.hash;
    writer.PutByte(static_cast<uint8_t>(payload.codec) | (same_hash ? kSameHashFlag : 0));
    writer.PutUnsigned(payload.ordinal - next_ordinal);
    writer.PutUnsigned(payload.size_bytes);
    if (payload.codec != PayloadCodec::kRaw) writer.PutUnsigned(payload.stored_size_bytes);
    if (!same_hash) writer.PutHash(payload.hash);
    next_ordinal = payload.ordinal + 1;
  }
}

void GetSteps(BinaryReader& reader, BundleHeader& header) {
  header.encoder = std::string(reader.GetString());
  const uint64_t home_count = reader.GetCount(ContentHash::kSizeBytes + sizeof(BundleId));
  header.homes.reserve(home_count);
  for (uint64_t i = 0; i < home_count && reader.ok(); ++i) header.homes.push_back(GetKey(reader));
  const uint64_t step_count = reader.GetCount(3);
  header.steps.reserve(step_count);
  for (uint64_t i = 0; i < step_count && reader.ok(); ++i) {
    Step step;
    step.kind = static_cast<StepKind>(reader.GetByte());
    if (step.kind == StepKind::kCopy) {
      step.home = reader.GetUnsigned();
      step.first = reader.GetUnsigned();
    } else {
      step.size_bytes = reader.GetUnsigned();
    }
    step.count = reader.GetUnsigned();
    header.steps.push_back(step);
  }
}

void GetPayloads(BinaryReader& reader, BundleHeader& header) {
  const uint64_t count = reader.GetCount(3);
  header.payloads.reserve(count);
  uint64_t ordinal = 0;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    Payload payload;
    const uint8_t codec = reader.GetByte();
    payload.codec = static_cast<PayloadCodec>(codec & ~kSameHashFlag);
    ordinal += std::min<uint64_t>(reader.GetUnsigned(), UINT32_MAX);
    payload.ordinal = static_cast<uint32_t>(std::min<uint64_t>(ordinal, UINT32_MAX));
    payload.size_bytes = reader.GetUnsigned();
    payload.stored_size_bytes =
        payload.codec == PayloadCodec::kRaw ? payload.size_bytes : reader.GetUnsigned();
    payload.hash = (codec & kSameHashFlag) != 0 ? header.key.hash : reader.GetHash();
    header.payloads.push_back(payload);
    ++ordinal;
  }
}

Status CheckPayloads(BundleHeader& header, uint64_t header_size_bytes,
                     uint64_t payloads_size_bytes) {
  uint64_t offset = header_size_bytes;
  const Payload* before = nullptr;
  for (Payload& payload : header.payloads) {
    if (payload.codec != PayloadCodec::kRaw && payload.codec != PayloadCodec::kZstd) {
      return Damaged("unknown payload codec");
    }
    if (payload.size_bytes > kPayloadSizeMaxBytes ||
        payload.stored_size_bytes > kPayloadSizeMaxBytes) {
      return Damaged("payload over the size limit");
    }
    if (before != nullptr && payload.ordinal <= before->ordinal) {
      return Damaged("payload numbers out of order");
    }
    payload.offset = offset;
    offset += payload.stored_size_bytes;
    before = &payload;
  }
  if (offset - header_size_bytes != payloads_size_bytes) return Damaged("payload sizes disagree");
  return OkStatus();
}

Status CheckSteps(const BundleHeader& header) {
  if (header.native_size_bytes > kContentSizeMaxBytes)
    return Damaged("content size over the limit");
  uint64_t copies_due = 0;
  for (const Step& step : header.steps) {
    if (step.kind == StepKind::kCopy) {
      if (step.home > header.homes.size()) return Damaged("step names an unknown home");
      if (step.first > UINT32_MAX || step.count > UINT32_MAX || step.count == 0) {
        return Damaged("step with a bad range");
      }
      if (copies_due > 0) --copies_due;
    } else if (step.kind == StepKind::kDeflate) {
      if (copies_due > 0 || header.encoder.empty()) return Damaged("misplaced deflate step");
      if (step.size_bytes > header.native_size_bytes) return Damaged("deflate step over the size");
      copies_due = step.count;
    } else {
      return Damaged("unknown step");
    }
  }
  if (copies_due > 0) return Damaged("steps end too early");
  if (header.kind == BundleKind::kCarrier && !(header.steps.empty() && header.homes.empty())) {
    return Damaged("carrier with steps");
  }
  return OkStatus();
}

}  // namespace

const Payload* BundleHeader::Find(uint64_t ordinal) const {
  // Without gaps the ordinal is the index.
  if (ordinal < payloads.size() && payloads[ordinal].ordinal == ordinal) return &payloads[ordinal];
  const auto found = std::lower_bound(
      payloads.begin(), payloads.end(), ordinal,
      [](const Payload& payload, uint64_t wanted) { return payload.ordinal < wanted; });
  return found != payloads.end() && found->ordinal == ordinal ? &*found : nullptr;
}

uint64_t BundleHeader::payloads_size_bytes() const {
  uint64_t size = 0;
  for (const Payload& payload : payloads) size += payload.stored_size_bytes;
  return size;
}

BundleId MakeBundleId(const std::vector<Payload>& payloads) {
  ContentHasher hasher;
  for (const Payload& payload : payloads) hasher.Update(payload.hash.raw());
  const ContentHash digest = hasher.Finish();
  BundleId id;
  std::memcpy(id.data(), digest.raw().data(), id.size());
  return id;
}

std::string EncodeBundleHeader(BundleHeader& header) {
  BinaryWriter body;
  PutKey(body, header.key);
  body.PutUnsigned(header.native_size_bytes);
  PutSteps(body, header);
  PutPayloads(body, header);

  BinaryWriter head;
  head.PutRaw(kBundleMagic);
  head.PutByte(kBundleVersion);
  head.PutByte(static_cast<uint8_t>(header.kind));
  head.PutByte(0);
  head.PutByte(0);
  head.PutFixed32(static_cast<uint32_t>(body.bytes().size()));
  head.PutFixed64(header.payloads_size_bytes());
  head.PutFixed64(Checksum(head.bytes(), body.bytes()));

  std::string encoded = head.Take();
  encoded.append(body.bytes());
  uint64_t offset = encoded.size();
  for (Payload& payload : header.payloads) {
    payload.offset = offset;
    offset += payload.stored_size_bytes;
  }
  return encoded;
}

Result<BundleHead> DecodeBundleHead(std::string_view bytes) {
  if (bytes.size() < kBundleHeadSizeBytes) return Damaged("cut off");
  if (!bytes.starts_with(kBundleMagic)) return Damaged("does not begin with SWOB");
  BinaryReader reader(bytes.substr(kBundleMagic.size()));
  const uint8_t version = reader.GetByte();
  if (version > kBundleVersion) {
    return Status(ErrorCode::kUnsupportedEdit,
                  "the object was written in format " + std::to_string(version) +
                      ", this program reads up to " + std::to_string(kBundleVersion) +
                      "; use a newer staged");
  }
  if (version == 0) return Damaged("version 0");
  reader.GetRaw(3);
  BundleHead head;
  head.header_size_bytes = kBundleHeadSizeBytes + reader.GetFixed32();
  head.payloads_size_bytes = reader.GetFixed64();
  if (head.header_size_bytes > kBundleHeaderSizeMaxBytes) return Damaged("header over the limit");
  if (head.payloads_size_bytes > kContentSizeMaxBytes) return Damaged("payloads over the limit");
  return head;
}

Result<BundleHeader> DecodeBundleHeader(std::string_view bytes) {
  STAGED_ASSIGN_OR_RETURN(const BundleHead head, DecodeBundleHead(bytes));
  if (bytes.size() < head.header_size_bytes) return Damaged("cut off");
  const std::string_view body =
      bytes.substr(kBundleHeadSizeBytes, head.header_size_bytes - kBundleHeadSizeBytes);
  BinaryReader checksum(bytes.substr(kCheckedHeadSizeBytes));
  if (checksum.GetFixed64() != Checksum(bytes.substr(0, kCheckedHeadSizeBytes), body)) {
    return Damaged("checksum mismatch");
  }
  BundleHeader header;
  header.kind = static_cast<BundleKind>(bytes[kBundleMagic.size() + 1]);
  if (header.kind != BundleKind::kContent && header.kind != BundleKind::kCarrier) {
    return Damaged("unknown kind");
  }
  BinaryReader reader(body);
  header.key = GetKey(reader);
  header.native_size_bytes = reader.GetUnsigned();
  GetSteps(reader, header);
  GetPayloads(reader, header);
  STAGED_RETURN_IF_ERROR(reader.Finish("bundle header"));
  STAGED_RETURN_IF_ERROR(CheckPayloads(header, head.header_size_bytes, head.payloads_size_bytes));
  STAGED_RETURN_IF_ERROR(CheckSteps(header));
  return header;
}

}  // namespace staged
