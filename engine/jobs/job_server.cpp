// SPDX-License-Identifier: Apache-2.0
#include "engine/jobs/job_server.h"

#include <httplib.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/file_reader.h"
#include "engine/jobs/access_token.h"
#include "engine/jobs/job_checkpoints.h"
#include "engine/jobs/job_json.h"
#include "engine/jobs/job_log.h"
#include "engine/training/projects/project_archive.h"
#include "engine/training/projects/project_file.h"
#include "engine/training/projects/project_run.h"

namespace temper {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJson = "application/json";
constexpr const char* kBytes = "application/octet-stream";
constexpr const char* kLoopback = "127.0.0.1";
constexpr int kAnyPort = 80;  ///< of a Unix socket: it has none

constexpr size_t kLongestRequest = 64 << 10;  // bytes
/// Requests that are answered at the same time; a follower of a log takes one.
constexpr size_t kThreads = 32;
constexpr std::chrono::milliseconds kLongestWait{10'000};
constexpr std::chrono::milliseconds kWaitSlice{100};
/// Until a socket that can't be opened again is tried once more.
constexpr std::chrono::seconds kAfterFailure{1};
constexpr int64_t kChunk = 256 << 10;  // bytes

/// HTTP's status for the kinds of errors; codeOf() of the client is the inverse.
int httpStatusOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::InvalidInput:
        case ErrorCode::Unsupported: return 400;
        case ErrorCode::NotFound: return 404;
        case ErrorCode::State: return 409;
        default: return 500;
    }
}

void answer(httplib::Response& response, int status, const std::string& error,
            const std::string& hint) {
    response.status = status;
    response.set_content(jsonText({{"error", error}, {"hint", hint}}), kJson);
}

/// Without a length, the library reads nothing after the headers of such a request.
bool hasNoBody(const std::string& method) {
    return method == "GET" || method == "HEAD" || method == "DELETE" || method == "OPTIONS";
}

/// Sends the file; others may replace it meanwhile.
void sendFile(httplib::Response& response, std::shared_ptr<const FileReader> file) {
    const size_t size = file->size();
    if (size == 0) return response.set_content("", kBytes);
    response.set_content_provider(
        size, kBytes,
        [file = std::move(file)](size_t offset, size_t length, httplib::DataSink& sink) {
            std::vector<std::byte> chunk(std::min(length, static_cast<size_t>(kChunk)));
            try {
                file->read(offset, chunk);
            } catch (const Error&) {
                return false;  // the answer ends early, which the client notices
            }
            return sink.write(reinterpret_cast<const char*>(chunk.data()), chunk.size());
        });
}

/// Replaces what a server that was killed has left. Throws: Error(Io) naming it.
std::string freeSocketPath(const JobFolder& folder) {
    const std::string path = folder.socket().string();
    if (path.size() >= sizeof(sockaddr_un::sun_path)) {
        throw Error(ErrorCode::Io,
                    "The path of the socket '" + path + "' has " + std::to_string(path.size()) +
                        " bytes; at most " + std::to_string(sizeof(sockaddr_un::sun_path) - 1) +
                        " are possible.",
                    "Choose a folder with a shorter path with --folder.");
    }
    ::unlink(path.c_str());
    return path;
}

[[noreturn]] void throwCantListen(const std::string& where) {
    throw Error(ErrorCode::Io, "Nothing can listen on " + where + ": " + std::strerror(errno) + ".",
                "Check that no other program uses it.");
}

/// A socket with the threads that answer on it. One that the system has closed, for want of memory
/// for example, is opened again.
class Listener {
public:
    /// Makes a server that is bound. Throws: Error(Io).
    using Open = std::function<std::unique_ptr<httplib::Server>()>;

    ~Listener() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            stops_ = true;
        }
        changed_.notify_all();
        // A server that does not run yet does not see that it has to stop.
        for (bool isStopping = false; !hasEnded_; std::this_thread::sleep_for(kWaitSlice / 100)) {
            const std::lock_guard lock(mutex_);
            if (isStopping || !server_->is_running()) continue;
            server_->stop();
            isStopping = true;
        }
        thread_.join();
    }

    void start(Open open) {
        open_ = std::move(open);
        server_ = open_();
        thread_ = std::thread([this] {
            do server_->listen_after_bind();
            while (opensAgain());
            hasEnded_ = true;
        });
    }

private:
    /// False if the listener stops.
    bool opensAgain() {
        std::unique_lock lock(mutex_);
        while (!stops_) {
            try {
                server_ = open_();
                return true;
            } catch (const Error&) {
                changed_.wait_for(lock, kAfterFailure);
            }
        }
        return false;
    }

    Open open_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::unique_ptr<httplib::Server> server_;
    bool stops_ = false;
    std::atomic<bool> hasEnded_ = false;
    std::thread thread_;
};

}  // namespace

struct JobServer::Implementation {
    using Request = httplib::Request;
    using Response = httplib::Response;

    Implementation(const JobFolder& files, JobQueue& jobs)
        : folder(files), queue(jobs), token(ownToken(files.token())) {
        std::error_code ignored;
        fs::remove_all(folder.archives(), ignored);  // of a server that was killed
        ensureFolder(folder.archives());
    }

    const JobFolder folder;
    JobQueue& queue;
    const std::string token;
    std::optional<int> port;  ///< of `remote`
    std::atomic<bool> stops = false;
    mutable std::atomic<int> archives = 0;  ///< made so far
    Listener local;
    Listener remote;

    std::unique_ptr<httplib::Server> openSocket() const {
        const std::string path = freeSocketPath(folder);
        auto server = prepared(AF_UNIX);
        errno = 0;
        if (!server->bind_to_port(path, kAnyPort)) throwCantListen("the socket '" + path + "'");
        ::chmod(path.c_str(), 0600);
        return server;
    }

    std::unique_ptr<httplib::Server> openPort() {
        auto server = prepared(AF_INET);
        errno = 0;
        const int wanted = port.value();
        if (wanted == 0) {
            port = server->bind_to_any_port(kLoopback);  // and this one if it is opened again
            if (port < 0) throwCantListen("a free port");
        } else if (!server->bind_to_port(kLoopback, wanted)) {
            throwCantListen("port " + std::to_string(wanted));
        }
        return server;
    }

    void listen(std::optional<int> wantedPort) {
        local.start([this] { return openSocket(); });
        if (!wantedPort) return;
        port = wantedPort;
        remote.start([this] { return openPort(); });
    }

    std::unique_ptr<httplib::Server> prepared(int family) const {
        auto server = std::make_unique<httplib::Server>();
        server->set_address_family(family);
        prepare(*server);
        return server;
    }

    void prepare(httplib::Server& server) const {
        server.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
        server.set_payload_max_length(kLongestRequest);
        server.set_tcp_nodelay(true);
        // What a request that is refused early still sends would be read as the next one.
        server.set_keep_alive_max_count(1);
        // Unlike the library's own, so that two servers can't share a port.
        server.set_socket_options([](auto socket) {
            const int yes = 1;
            ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        });
        // Their length is not limited by the library, and they are read before the token is seen.
        server.set_pre_routing_handler([](const Request& request, Response& response) {
            using Answer = httplib::Server::HandlerResponse;
            const bool isPlain =
                !request.has_header("Transfer-Encoding") && !request.has_header("Content-Encoding");
            if (isPlain && (request.has_header("Content-Length") || hasNoBody(request.method)))
                return Answer::Unhandled;
            answer(response, 400, "The server reads plain bodies of a known length only.",
                   "Send a Content-Length, and no Transfer-Encoding or Content-Encoding.");
            return Answer::Handled;
        });
        server.set_exception_handler(
            [](const Request&, Response& response, std::exception_ptr exception) {
                try {
                    std::rethrow_exception(std::move(exception));
                } catch (const Error& error) {
                    answer(response, httpStatusOf(error.code()), error.what(), error.hint());
                } catch (const std::exception& error) {
                    answer(response, 500, error.what(), "");
                }
            });
        server.set_error_handler([](const Request& request, Response& response) {
            if (!response.body.empty()) return;
            if (response.status == 404) {
                return answer(
                    response, 404,
                    "The server does not know '" + request.method + ' ' + request.path + "'.",
                    "Use the same version of Temper on both sides.");
            }
            answer(response, response.status, "The request is not valid HTTP for this server.",
                   "Bodies have a Content-Length of at most 64 KiB.");
        });
        addQueue(server);
        addRun(server);
    }

    /// Answers those who have the token. Strangers are refused after their request was read whole:
    /// a client that is still sending would miss the answer.
    httplib::Server::Handler guarded(httplib::Server::Handler handler) const {
        return [this, handler = std::move(handler)](const Request& request, Response& response) {
            if (isAllowed(request)) return handler(request, response);
            answer(response, 401, "The token is missing or not the server's.",
                   "Send the token of the server's folder: 'Authorization: Bearer TOKEN'.");
        };
    }
    bool isAllowed(const Request& request) const {
        constexpr std::string_view kScheme = "Bearer ";
        const std::string given = request.get_header_value("Authorization");
        return given.starts_with(kScheme) &&
               isSameToken(std::string_view(given).substr(kScheme.size()), token);
    }

    static int64_t idOf(const Request& request) {
        const std::string digits = request.matches[1];
        if (digits.size() <= 18) return std::stoll(digits);
        throw Error(ErrorCode::NotFound, "Job " + digits + " does not exist.",
                    "List the jobs with `temper jobs`.");
    }
    Job jobOf(const Request& request) const { return queue.status(idOf(request)).job; }

    void addQueue(httplib::Server& server) const {
        server.Get("/v1/server", guarded([this](const Request&, Response& response) {
                       response.set_content(jsonText({{"ending", queue.isStopping()}}), kJson);
                   }));
        server.Get("/v1/jobs", guarded([this](const Request&, Response& response) {
                       response.set_content(toJson(queue.statuses()), kJson);
                   }));
        server.Post("/v1/jobs", guarded([this](const Request& request, Response& response) {
                        response.set_content(toJson(add(request.body)), kJson);
                    }));
        server.Get(R"(/v1/jobs/(\d+))", guarded([this](const Request& request, Response& response) {
                       response.set_content(toJson(queue.status(idOf(request))), kJson);
                   }));
        server.Delete(R"(/v1/jobs/(\d+))",
                      guarded([this](const Request& request, Response& response) {
                          queue.remove(idOf(request));
                          response.set_content("{}", kJson);
                      }));
        server.Post(R"(/v1/jobs/(\d+)/first)",
                    guarded([this](const Request& request, Response& response) {
                        queue.moveFirst(idOf(request));
                        response.set_content("{}", kJson);
                    }));
    }

    JobStatus add(const std::string& body) const {
        return fromJson(body, [this](const nlohmann::json& json) {
            NewJob job{json.at("project").get<std::string>(), json.value("run", int64_t{0})};
            if (json.contains("spec")) job.spec = json.at("spec").dump();
            return queue.add(job);
        });
    }

    void addRun(httplib::Server& server) const {
        server.Post(R"(/v1/jobs/(\d+)/requests)",
                    guarded([this](const Request& request, Response& response) {
                        queue.request(idOf(request), jobRequestFromJson(request.body));
                        response.set_content("{}", kJson);
                    }));
        server.Get(R"(/v1/jobs/(\d+)/log)",
                   guarded([this](const Request& request, Response& response) {
                       sendLog(request, response);
                   }));
        server.Get(R"(/v1/jobs/(\d+)/checkpoints)",
                   guarded([this](const Request& request, Response& response) {
                       const auto found = checkpointsIn(checkpointFolderOf(jobOf(request)));
                       response.set_content(toJson(found), kJson);
                   }));
        server.Get(R"(/v1/jobs/(\d+)/checkpoints/([^/]+))",
                   guarded([this](const Request& request, Response& response) {
                       sendCheckpoint(request, response);
                   }));
        server.Get(R"(/v1/jobs/(\d+)/project)",
                   guarded([this](const Request& request, Response& response) {
                       sendProject(jobOf(request), response);
                   }));
    }

    static int64_t numberOf(const Request& request, const char* name) {
        const std::string text = request.get_param_value(name);
        int64_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error == std::errc() && end == text.data() + text.size() && number >= 0) return number;
        throw Error(ErrorCode::InvalidInput, "The parameter '" + std::string(name) + "' is '" +
                                                 text + "'; a number is expected.");
    }

    void sendLog(const Request& request, Response& response) const {
        const Job job = jobOf(request);
        const fs::path log = runLogPath(runFolderOf(job.project, runOf(job)));
        const std::string generation = request.get_param_value("generation");
        const int64_t begin = numberOf(request, "begin");
        const auto end =
            std::chrono::steady_clock::now() +
            std::min(kLongestWait, std::chrono::milliseconds(numberOf(request, "wait")));
        LogPiece piece;
        do {
            piece = readLogPiece(log, generation, begin, kWaitSlice);
        } while (piece.bytes.empty() && piece.generation == generation && !stops &&
                 std::chrono::steady_clock::now() < end);
        response.set_header("Temper-Log-Generation", piece.generation);
        response.set_header("Temper-Log-Begin", std::to_string(piece.begin));
        response.set_content(piece.bytes, kBytes);
    }

    void sendCheckpoint(const Request& request, Response& response) const {
        const fs::path checkpoints = checkpointFolderOf(jobOf(request));
        const std::string name = request.matches[2];
        const auto known = checkpointsIn(checkpoints);
        if (std::ranges::find(known, name, &CheckpointInfo::name) == known.end()) {
            throw Error(ErrorCode::NotFound, "The run has no checkpoint '" + name + "' in '" +
                                                 checkpoints.string() + "'.");
        }
        sendFile(response, FileReader::open(checkpoints / name));
    }

    void sendProject(const Job& job, Response& response) const {
        const ProjectFile project{specOfRun(runOf(job), job.project), {}};
        const fs::path archive =
            folder.archives() / (std::to_string(++archives) + kProjectArchiveEnding);
        packProject(project, job.project, archive, {.withRuns = false},
                    [this](double) { return !stops; });
        const auto file = FileReader::open(archive);
        fs::remove(archive);
        sendFile(response, file);
    }
};

JobServer::JobServer(const JobFolder& folder, JobQueue& queue, std::optional<int> port)
    : implementation_(std::make_unique<Implementation>(folder, queue)) {
    std::signal(SIGPIPE, SIG_IGN);  // whoever asked may be gone
    implementation_->listen(port);
}

JobServer::~JobServer() {
    implementation_->stops = true;
    ::unlink(implementation_->folder.socket().c_str());
}

std::optional<int> JobServer::port() const { return implementation_->port; }

}  // namespace temper
