/** postgresql.conf of the built-in server: small at rest, durable, reachable through its socket only. */

/**
 * Written anew at every start.
 * @param operatorFile settings of an operator's own, which are read last; null: there are none
 */
export function configurationText(operatorFile: string | null): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
  if (operatorFile !== null) lines.push(`include = '${operatorFile.replaceAll("'", "''")}'`)
  return `# Written by the service at every start. Put settings of your own into operator.conf.\n${lines.join('\n')}\n`
}

const settings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  password_encryption: 'scram-sha-256',

  shared_buffers: '128MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Statements here are short: compiling them and spreading them over processes costs more than it saves.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Three processes less at rest; reads here come from memory.
  io_method: 'sync',

  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'replica',
  max_wal_senders: '2',
  min_wal_size: '80MB',
  max_wal_size: '1GB',
  checkpoint_timeout: '5min',

  idle_in_transaction_session_timeout: '60s',
  timezone: 'UTC',
  log_timezone: 'UTC',

  logging_collector: 'off',
  log_destination: 'stderr',
  log_min_messages: 'warning',
  // Statements and details of errors hold what users wrote.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_line_prefix: '%b|',
}
