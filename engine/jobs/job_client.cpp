// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_client.h"

#include <httplib.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/jobs/access_token.h"
#include "engine/jobs/job_folder.h"
#include "engine/jobs/job_json.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "application/json";
constexpr int kAnyPort = 80;  ///< of a Unix socket: it has none
constexpr std::chrono::seconds kPatience{20};
/// Until the server has packed a project.
constexpr std::chrono::seconds kPackingPatience{1800};
constexpr std::chrono::seconds kConnectPatience{3};
/// A server that many call at the same time may refuse a connection for a moment.
constexpr int kConnectTries = 3;
constexpr std::chrono::milliseconds kUntilNextTry{20};

constexpr int kOk = 200;
constexpr int kUnauthorized = 401;

/// The inverse of the server's httpStatusOf().
ErrorCode codeOf(int httpStatus) {
    switch (httpStatus) {
        case 400: return ErrorCode::InvalidInput;
        case 404: return ErrorCode::NotFound;
        case kUnauthorized:
        case 409: return ErrorCode::State;
        default: return ErrorCode::Io;
    }
}

/// Throws what the server answered instead of a result.
[[noreturn]] void throwAnswer(int status, const std::string& body) {
    if (status == kUnauthorized) {
        throw Error(ErrorCode::State, "The job server does not accept the token.",
                    "Specify the content of the file 'token' in the folder of the server.");
    }
    const auto json = nlohmann::json::parse(body, nullptr, false);
    if (!json.is_object() || !json.contains("error") || !json["error"].is_string()) {
        throw Error(ErrorCode::Io,
                    "What answers is not a job server: HTTP status " + std::to_string(status) + ".",
                    "Check the port.");
    }
    throw Error(
        codeOf(status), json["error"].get<std::string>(),
        json.contains("hint") && json["hint"].is_string() ? json["hint"].get<std::string>() : "");
}

std::string nameOf(const ServerAddress& address) {
    return address.socket.empty() ? "port " + std::to_string(address.port)
                                  : "'" + address.socket.string() + "'";
}

std::string pathOf(int64_t id, const std::string& rest = "") {
    return "/v1/jobs/" + std::to_string(id) + rest;
}

int64_t numberIn(const httplib::Response& response, const char* header) {
    const std::string text = response.get_header_value(header);
    int64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

}  // namespace

struct JobClient::Implementation {
    explicit Implementation(ServerAddress given)
        : address(std::move(given)),
          client(address.socket.empty() ? "127.0.0.1" : address.socket.string(),
                 address.socket.empty() ? address.port : kAnyPort) {
        client.set_address_family(address.socket.empty() ? AF_INET : AF_UNIX);
        client.set_bearer_token_auth(address.token);
        client.set_tcp_nodelay(true);
        client.set_connection_timeout(kConnectPatience);
        wait(kPatience);
        client.set_write_timeout(kPatience);
    }

    /// What send(client) returns. Throws: Error(Io) if nothing answered; Error(State) if cancelled.
    template <typename F>
    httplib::Result sent(F&& send) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 1;; ++i) {
            if (isCancelled)
                throw Error(ErrorCode::State, "The call of the job server was cancelled.");
            httplib::Result result = send(client);
            if (result) return result;
            if (result.error() != httplib::Error::Connection || i == kConnectTries)
                throwNoAnswer(result.error(), std::chrono::steady_clock::now() - begin);
            std::this_thread::sleep_for(kUntilNextTry);
        }
    }
    [[noreturn]] void throwNoAnswer(httplib::Error error,
                                    std::chrono::steady_clock::duration waited) const {
        if (error == httplib::Error::Read && waited >= patience) {
            throw Error(ErrorCode::Io,
                        "The job server at " + nameOf(address) + " has not answered within " +
                            std::to_string(patience.count()) + " s.",
                        "Try again when its machine has less to do.");
        }
        if (error == httplib::Error::Connection) {
            throw Error(ErrorCode::Io, "No job server is running at " + nameOf(address) + ".",
                        address.isHere ? "Start one with `temper serve`."
                                       : "Check that `ssh -L` is running here, and `temper serve` "
                                         "on the other machine.");
        }
        throw Error(ErrorCode::Io,
                    "The job server at " + nameOf(address) +
                        " did not answer: " + httplib::to_string(error) + ".",
                    "Start it again with `temper serve` if it has ended.");
    }
    void wait(std::chrono::seconds time) {
        patience = time;
        client.set_read_timeout(time);
    }
    /// The answer. Throws: as sent(); what the server answers instead of a result.
    template <typename F>
    httplib::Result answerOf(F&& send) {
        httplib::Result result = sent(std::forward<F>(send));
        if (result->status != kOk) throwAnswer(result->status, result->body);
        return result;
    }

    void fetch(const std::string& path, const fs::path& target) {
        AtomicFile file(target);
        int status = 0;
        std::string refusal;
        std::exception_ptr failure;
        const auto begin = [&](const httplib::Response& response) {
            status = response.status;
            return true;
        };
        const auto take = [&](const char* bytes, size_t count) {
            if (status != kOk) {
                refusal.append(bytes, count);
                return refusal.size() < kLongestRefusal;
            }
            try {
                file.write(std::string_view(bytes, count));
            } catch (...) {
                failure = std::current_exception();
            }
            return failure == nullptr && !isCancelled;
        };
        try {
            sent([&](httplib::Client& server) { return server.Get(path, begin, take); });
        } catch (const Error&) {
            if (failure) std::rethrow_exception(failure);
            throw;
        }
        if (status != kOk) throwAnswer(status, refusal);
        file.commit();
    }

    static constexpr size_t kLongestRefusal = 1 << 20;  // bytes

    const ServerAddress address;
    httplib::Client client;
    std::chrono::seconds patience = kPatience;
    std::atomic<bool> isCancelled = false;
};

ServerAddress serverIn(const fs::path& folder) {
    const JobFolder files(folder);
    if (!fs::exists(files.token())) {
        throw Error(ErrorCode::NotFound, "No job server has run in '" + folder.string() + "'.",
                    "Start one with `temper serve`.");
    }
    return {files.socket(), 0, readToken(files.token()), true};
}

JobClient::JobClient(ServerAddress address)
    : implementation_(std::make_unique<Implementation>(std::move(address))) {
    std::signal(SIGPIPE, SIG_IGN);
}

JobClient::~JobClient() = default;

void JobClient::cancel() {
    implementation_->isCancelled = true;
    implementation_->client.stop();
}

bool JobClient::isServerEnding() {
    const auto answer =
        implementation_->answerOf([](httplib::Client& server) { return server.Get("/v1/server"); });
    return fromJson(answer->body,
                    [](const nlohmann::json& json) { return json.at("ending").get<bool>(); });
}

std::vector<JobStatus> JobClient::jobs() {
    const auto answer =
        implementation_->answerOf([](httplib::Client& server) { return server.Get("/v1/jobs"); });
    return jobStatusesFromJson(answer->body);
}

JobStatus JobClient::job(int64_t id) {
    const auto answer = implementation_->answerOf(
        [path = pathOf(id)](httplib::Client& server) { return server.Get(path); });
    return jobStatusFromJson(answer->body);
}

JobStatus JobClient::add(const NewJob& job) {
    nlohmann::ordered_json json{{"project", job.project.string()}};
    if (job.run != 0) json["run"] = job.run;
    if (!job.spec.empty()) json["spec"] = nlohmann::ordered_json::parse(job.spec, nullptr, false);
    const auto answer = implementation_->answerOf([body = jsonText(json)](httplib::Client& server) {
        return server.Post("/v1/jobs", body, kJson);
    });
    return jobStatusFromJson(answer->body);
}

void JobClient::request(int64_t id, const JobRequest& request) {
    implementation_->answerOf(
        [path = pathOf(id, "/requests"), body = toJson(request)](httplib::Client& server) {
            return server.Post(path, body, kJson);
        });
}

void JobClient::moveFirst(int64_t id) {
    implementation_->answerOf([path = pathOf(id, "/first")](httplib::Client& server) {
        return server.Post(path, "", kJson);
    });
}

void JobClient::remove(int64_t id) {
    implementation_->answerOf(
        [path = pathOf(id)](httplib::Client& server) { return server.Delete(path); });
}

LogFollower::News JobClient::follow(int64_t id, LogFollower& follower,
                                    std::chrono::milliseconds patience) {
    const std::string path = pathOf(id, "/log?generation=" + follower.generation() +
                                            "&begin=" + std::to_string(follower.position()) +
                                            "&wait=" + std::to_string(patience.count()));
    const auto answer =
        implementation_->answerOf([&path](httplib::Client& server) { return server.Get(path); });
    return follower.take({answer->get_header_value("Temper-Log-Generation"),
                          numberIn(*answer, "Temper-Log-Begin"), answer->body});
}

std::vector<CheckpointInfo> JobClient::checkpoints(int64_t id) {
    const auto answer = implementation_->answerOf(
        [path = pathOf(id, "/checkpoints")](httplib::Client& server) { return server.Get(path); });
    return checkpointsFromJson(answer->body);
}

void JobClient::fetchCheckpoint(int64_t id, const std::string& name, const fs::path& target) {
    implementation_->fetch(pathOf(id, "/checkpoints/" + name), target);
}

void JobClient::fetchProject(int64_t id, const fs::path& target) {
    implementation_->wait(kPackingPatience);
    implementation_->fetch(pathOf(id, "/project"), target);
    implementation_->wait(kPatience);
}

}  // namespace temper
