#include "tests/simulation/workspace_histories.h"

#include <gtest/gtest.h>

namespace staged {
namespace {

constexpr char kNotes[] = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
constexpr char kPlan[] = "# Plan\n\nFirst we think.\n\nThen we write.\n";
constexpr char kTable[] = "name,amount\nada,1\ngrace,2\n";
constexpr char kScript[] = "#!/bin/sh\necho hello\n";
constexpr char kDeep[] = "far below\n";
constexpr char kCheckout[] = "/simulated/checkout";

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

BaseHash BaseOf(const std::optional<std::string>& bytes) {
  if (!bytes) return {};
  return ContentHash::Of(*bytes);
}

using Call = std::function<Status(WorkspaceSite& site, const CallContext& context)>;

// Makes steps whose request ids are their names.
class Script {
 public:
  explicit Script(std::string name) { history_.name = std::move(name); }

  Script& Do(const std::string& name, Call call, std::vector<ErrorCode> may_answer_again = {}) {
    CallContext context = AgentContext(branch_);
    context.turn = turn_;
    context.request_id = name + " " + std::to_string(history_.steps.size());
    history_.steps.push_back(
        {name,
         [call = std::move(call), context](WorkspaceSite& site) { return call(site, context); },
         {},
         std::move(may_answer_again)});
    return *this;
  }
  Script& On(const std::string& branch) {
    branch_ = branch;
    return *this;
  }
  Script& Turn(const std::string& turn) {
    turn_ = turn;
    return *this;
  }
  Script& Person(const std::string& path, std::optional<std::string> bytes) {
    history_.steps.push_back({"a person's save of " + path, {}, {{path, std::move(bytes)}}, {}});
    return *this;
  }
  Script& Write(const std::string& path, std::optional<std::string> base, std::string bytes) {
    return Do("write " + path, [=](WorkspaceSite& site, const CallContext& context) {
      return site->Write(context, path, BaseOf(base), bytes).status();
    });
  }
  Script& Remove(const std::string& path, const std::string& base) {
    return Do("rm " + path, [=](WorkspaceSite& site, const CallContext& context) {
      return site->Remove(context, path, BaseOf(base)).status();
    });
  }
  Script& Move(const std::string& from, const std::string& to, const std::string& base) {
    return Do("mv " + from, [=](WorkspaceSite& site, const CallContext& context) {
      return site->Move(context, from, to, BaseOf(base)).status();
    });
  }
  Script& Mode(const std::string& path, const std::string& base, bool executable) {
    return Do("chmod " + path, [=](WorkspaceSite& site, const CallContext& context) {
      return site->ChangeMode(context, path, BaseOf(base), executable).status();
    });
  }
  Script& Review(std::vector<std::string> paths = {}) {
    return Do("review", [=](WorkspaceSite& site, const CallContext& context) {
      return site->Review(context, paths).status();
    });
  }
  Script& Submit(std::vector<std::string> paths = {}) {
    // Where it could not be put on disk it was taken back, and a repetition says so.
    return Do("submit",
              [=](WorkspaceSite& site, const CallContext& context) {
                return site->Submit(context, paths, {}).status();
              },
              {ErrorCode::kConflict});
  }
  Script& Rebase(size_t conflicts = 0) {
    return Do("rebase", [=](WorkspaceSite& site, const CallContext& context) {
      STAGED_ASSIGN_OR_RETURN(const RebaseAnswer answer, site->Rebase(context, {}));
      if (answer.conflicts.size() <= conflicts) return OkStatus();
      // A save that came during the step, which its test allows.
      return Status(ErrorCode::kConflict, "'" + answer.conflicts[0].path + "' is in conflict");
    });
  }
  Script& Resolve(const std::string& path, Take take, std::string bytes = "") {
    return Do("resolve " + path, [=](WorkspaceSite& site, const CallContext& context) {
      return site->Resolve(context, path, take, bytes).status();
    });
  }
  ScriptedHistory Finish() { return std::move(history_); }

 private:
  ScriptedHistory history_;
  std::string branch_ = "main";
  std::string turn_;
};

// Create, replace, edit, delete, move, mode and symlink, all submitted together.
ScriptedHistory EverythingAtOnce() {
  Script script("EverythingAtOnce");
  const std::string edited = Replaced(kNotes, "two", "2");
  script.Write("notes.txt", kNotes, edited)
      .Do("edit table",
          [](WorkspaceSite& site, const CallContext& context) {
            Edit edit;
            edit.op = "set";
            edit.locator = "r:2/c:amount";
            edit.arguments = Value::Object{{"value", "17"}};
            return site->ApplyEdits(context, "table.csv", BaseOf(kTable), {edit}).status();
          })
      .Write("new/deep/created.txt", {}, "created\n")
      .Remove("below/deep/file.txt", kDeep)
      .Move("plan.md", "moved/plan.md", kPlan)
      .Mode("run.sh", kScript, true)
      .Write("link", "notes.txt", "plan.md")
      .Review()
      .Submit()
      .Remove("moved/plan.md", kPlan)
      .Write("moved", {}, "a file in a folder's place\n")
      .Review()
      .Submit()
      .Mode("run.sh", kScript, false)
      .Review()
      .Submit();
  return script.Finish();
}

// People save files while an agent works: taken in, merged, in conflict, resolved, discarded.
ScriptedHistory PeopleInterfere() {
  Script script("PeopleInterfere");
  const std::string left = Replaced(kNotes, "two", "2");
  const std::string right = Replaced(kNotes, "six", "6");
  const std::string merged = Replaced(left, "six", "6");
  script.Write("notes.txt", kNotes, left)
      .Person("notes.txt", right)
      .Person("person.txt", "a new file\n")
      .Rebase()
      .Review()
      .Submit()
      .Write("plan.md", kPlan, "# Ours\n")
      .Person("plan.md", "# Theirs\n")
      .Rebase(1)
      .Resolve("plan.md", Take::kLeft)
      .Review()
      .Submit()
      .Write("table.csv", kTable, "ours\n")
      .Person("table.csv", "theirs\n")
      .Resolve("table.csv", Take::kBytes, "both\n")
      .Review()
      .Submit()
      .Write("run.sh", kScript, "ours\n")
      .Person("run.sh", std::nullopt)
      .Do("adopt",
          [](WorkspaceSite& site, const CallContext& context) {
            return site->AdoptLiveChanges(context).status();
          })
      .Do("discard", [](WorkspaceSite& site,
                        const CallContext& context) { return site->Discard(context, {}).status(); })
      .Person("notes.txt", merged + "eight\n")
      .Write("notes.txt", merged + "eight\n", merged + "eight\nnine\n")
      .Review()
      .Submit();
  return script.Finish();
}

// Undo, redo, rollback, and a revert of what was submitted.
ScriptedHistory WaysBack() {
  Script script("WaysBack");
  const auto undo = [](WorkspaceSite& site, const CallContext& context) {
    return site->Undo(context, 0, false).status();
  };
  script.Write("notes.txt", kNotes, "first\n")
      .Write("notes.txt", "first\n", "second\n")
      .Do("undo", undo)
      .Turn("turn")
      .Write("plan.md", kPlan, "# Turned\n")
      .Remove("table.csv", kTable)
      .Turn("")
      .Do("rollback",
          [](WorkspaceSite& site, const CallContext& context) {
            return site->Rollback(context, "turn").status();
          })
      .Review()
      .Submit()
      .On("other")
      .Write("notes.txt", "first\n", "first and more\n")
      .Review()
      .Submit()
      .On("main")
      .Do("revert",
          [](WorkspaceSite& site, const CallContext& context) {
            int64_t submit = 0;
            OperationFilter filter;
            filter.types = {OperationType::kSubmit};
            filter.newest_first = true;
            STAGED_RETURN_IF_ERROR(site->ForEachOperation(filter, [&](const Operation& operation) {
              submit = operation.sequence;
              return false;
            }));
            return site->Revert(context, {submit}).status();
          })
      .Review()
      .Submit();
  return script.Finish();
}

// Policy, a person's approval, leases, collection, forgetting.
ScriptedHistory Upkeep() {
  Script script("Upkeep");
  script
      .Do("policy",
          [](WorkspaceSite& site, const CallContext& context) {
            CallContext person = context;
            person.actor = {"ada", ActorKind::kHuman};
            return site->SetPolicy(person, "[[rule]]\npaths = [\"*.md\"]\nreview = \"human\"\n");
          })
      .Write("plan.md", kPlan, "# Secret\n")
      .Write("notes.txt", kNotes, "new notes\n")
      .Review()
      .Do("approve",
          [](WorkspaceSite& site, const CallContext& context) {
            CallContext person = context;
            person.actor = {"ada", ActorKind::kHuman};
            STAGED_ASSIGN_OR_RETURN(const auto reader, site.journal().BeginRead());
            STAGED_ASSIGN_OR_RETURN(const auto receipts, reader->Receipts("main"));
            for (const ReceiptRow& receipt : receipts) {
              if (receipt.state == ReceiptState::kPending) {
                return site->Approve(person, receipt.id);
              }
            }
            return OkStatus();
          })
      .Submit()
      .Do("gc",
          [](WorkspaceSite& site, const CallContext&) { return site->CollectGarbage({}).status(); })
      .Write("table.csv", kTable, "discarded\n")
      .Do("discard", [](WorkspaceSite& site,
                        const CallContext& context) { return site->Discard(context, {}).status(); })
      .Do("forget",
          [](WorkspaceSite& site, const CallContext& context) {
            return site->Forget(context, ContentHash::Of("discarded\n"));
          })
      .Do("gc",
          [](WorkspaceSite& site, const CallContext&) { return site->CollectGarbage({}).status(); })
      .Do("lease",
          [](WorkspaceSite& site, const CallContext& context) {
            return site->AcquireLease(context, "holder", 1'000'000'000).status();
          })
      .Do("release",
          [](WorkspaceSite& site, const CallContext& context) {
            STAGED_ASSIGN_OR_RETURN(const auto reader, site.journal().BeginRead());
            STAGED_ASSIGN_OR_RETURN(const auto branch, reader->Branch("main"));
            return site->ReleaseLease(context, {"main", branch->lease_epoch, 0});
          })
      .Write("notes.txt", "new notes\n", "newer notes\n");
  return script.Finish();
}

// A hydrated folder: changed by tools, taken over as one turn.
ScriptedHistory CheckoutAndSync() {
  Script script("CheckoutAndSync");
  script.Write("notes.txt", kNotes, "staged\n")
      .Do("checkout",
          [](WorkspaceSite& site, const CallContext& context) {
            return site->Checkout(context, kCheckout).status();
          },
          {ErrorCode::kConflict})
      .Do("sync",
          [](WorkspaceSite& site, const CallContext& context) {
            // The tools' work is not what is tested: it happens by itself, and is there again
            // where a crash took it.
            SimulatedEnv& env = site.env();
            const std::string folder = std::string(kCheckout) + "/";
            STAGED_RETURN_IF_ERROR(
                env.ExternalReplace(folder + "notes.txt", "by a tool\n", Durability::kDurable));
            STAGED_RETURN_IF_ERROR(
                env.ExternalWrite(folder + "made.txt", "made\n", Durability::kDurable));
            (void)env.ExternalRemove(folder + "table.csv", Durability::kDurable).ok();
            return site->Sync(context, kCheckout).status();
          })
      .Review()
      .Submit();
  return script.Finish();
}

}  // namespace

std::vector<ScriptedHistory> ScriptedHistories() {
  return {EverythingAtOnce(), PeopleInterfere(), WaysBack(), Upkeep(), CheckoutAndSync()};
}

void MakeFirstFiles(SimulatedEnv& env) {
  const auto external = env.NewExternalProcess();
  const std::string root = kSimulatedRoot;
  ASSERT_TRUE(external->MakeDirectories(root + "/below/deep").ok());
  const std::map<std::string, std::string> files = {{"notes.txt", kNotes},
                                                    {"plan.md", kPlan},
                                                    {"table.csv", kTable},
                                                    {"run.sh", kScript},
                                                    {"below/deep/file.txt", kDeep}};
  for (const auto& [path, bytes] : files) {
    ASSERT_TRUE(env.ExternalWrite(root + "/" + path, bytes, Durability::kDurable).ok());
  }
  const auto directory = external->OpenDirectory(root);
  ASSERT_TRUE(directory.ok());
  ASSERT_TRUE((*directory)->MakeSymlink("link", "notes.txt").ok());
  env.SyncEverything();
}

void MakeSaves(SimulatedEnv& env, const std::vector<PersonsSave>& saves) {
  for (const PersonsSave& save : saves) {
    const std::string path = std::string(kSimulatedRoot) + "/" + save.path;
    const Status saved = save.bytes ? env.ExternalWrite(path, *save.bytes, Durability::kDurable)
                                    : env.ExternalRemove(path, Durability::kDurable);
    ASSERT_TRUE(saved.ok()) << saved.message();
  }
}

}  // namespace staged
