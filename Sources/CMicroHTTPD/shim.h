#pragma once

#include <microhttpd.h>
// Only what Swift cannot call: variadic functions. Each is one typed call of the library.

typedef void *(*HoldfastTargetCallback)(void *context, const char *target,
                                        struct MHD_Connection *connection);

struct HoldfastDaemonOptions {
    unsigned int flags;
    int listenSocket;
    unsigned int threads;
    unsigned int connections;
    unsigned int inactivitySeconds;
    size_t connectionMemoryBytes;
    void *context;
    MHD_AcceptPolicyCallback accept;
    MHD_AccessHandlerCallback handle;
    HoldfastTargetCallback target;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
};

// MHD_start_daemon is variadic. A pool of one thread must not be asked for as a pool.
static inline struct MHD_Daemon *holdfast_start_daemon(const struct HoldfastDaemonOptions *o) {
    struct MHD_OptionItem pool[] = {
        {o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)o->threads, 0},
        {MHD_OPTION_END, 0, 0},
    };
    return MHD_start_daemon(
        o->flags, 0, o->accept, o->context, o->handle, o->context,
        MHD_OPTION_LISTEN_SOCKET, o->listenSocket,
        MHD_OPTION_CONNECTION_LIMIT, o->connections,
        MHD_OPTION_CONNECTION_TIMEOUT, o->inactivitySeconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, o->connectionMemoryBytes,
        MHD_OPTION_STRICT_FOR_CLIENT, 0,
        MHD_OPTION_URI_LOG_CALLBACK, o->target, o->context,
        MHD_OPTION_NOTIFY_COMPLETED, o->completed, o->context,
        MHD_OPTION_NOTIFY_CONNECTION, o->connection, o->context,
        MHD_OPTION_ARRAY, pool, MHD_OPTION_END);
}

// MHD_get_connection_info is variadic and answers with a union: one reader per member used.
#define HOLDFAST_INFO(c, name) MHD_get_connection_info((c), MHD_CONNECTION_INFO_##name)
static inline int holdfast_connection_socket(struct MHD_Connection *c) {
    const union MHD_ConnectionInfo *i = HOLDFAST_INFO(c, CONNECTION_FD);
    return i == 0 ? -1 : i->connect_fd;
}
static inline void *holdfast_connection_context(struct MHD_Connection *c) {
    const union MHD_ConnectionInfo *i = HOLDFAST_INFO(c, SOCKET_CONTEXT);
    return i == 0 ? 0 : i->socket_context;
}
static inline size_t holdfast_connection_head_bytes(struct MHD_Connection *c) {
    const union MHD_ConnectionInfo *i = HOLDFAST_INFO(c, REQUEST_HEADER_SIZE);
    return i == 0 ? 0 : i->header_size;
}
static inline const struct sockaddr *holdfast_connection_peer(struct MHD_Connection *c) {
    const union MHD_ConnectionInfo *i = HOLDFAST_INFO(c, CLIENT_ADDRESS);
    return i == 0 ? 0 : i->client_addr;
}
