/** postgresql.conf of the built-in server: little memory when idle, durable, reachable through its socket only. */

/** @param operatorFile the operator's settings, which are read last; null: there are none */
export function configurationText(operatorFile: string | null): string {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`)
  if (operatorFile !== null) lines.push(`include = '${operatorFile.replaceAll("'", "''")}'`)
  return `# Written by the service at every start. Put your own settings into operator.conf.\n${lines.join('\n')}\n`
}

const settings: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  password_encryption: 'scram-sha-256',

  shared_buffers: '128MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  // Our statements are short: compiling and parallel workers cost more than they save.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  // Three processes fewer; our reads come from memory.
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
  // Statements and error details contain what users wrote.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_line_prefix: '%b|',
}
