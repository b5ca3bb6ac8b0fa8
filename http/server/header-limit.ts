/**
 * Room for 16 KB of request headers. uWebSockets.js reads this variable once, while its module loads, and takes 4 KB
 * without it; so this file is imported before the library, for its effect alone.
 */
process.env.UWS_HTTP_MAX_HEADERS_SIZE ??= '16384'
