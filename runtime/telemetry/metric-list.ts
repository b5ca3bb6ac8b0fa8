/**
 * Every metric of the service, a line each: who may read it, what it is, its labels. Dashboards depend on names and labels:
 * they never change.
 */

/** public: whoever may scrape /metrics. internal: the operator's collector only. */
export type Audience = 'public' | 'internal'

const taskSeconds = [0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5, 30]

export const metricList = {
  process_uptime_seconds: gauge('public', 'Seconds since the process started'),
  service_build_info: gauge('public', 'Always 1; the versions are in the labels', ['version', 'node']),
  service_ready: gauge('public', '1 while the service can do its work, as /readyz says'),
  service_database_connections_max: gauge('public', 'Connections that a pool may open', ['pool']),
  service_database_work: gauge('public', 'Running and waiting statements or transactions of a pool', ['pool', 'state']),
  service_database_server: gauge('internal', 'Always 1; the role of a server of the database is in the labels', [
    'server',
    'role',
  ]),
  service_database_standby_lag_bytes: gauge('internal', 'What a standby has not taken over yet of what was written', [
    'server',
  ]),

  service_actors_live: gauge('internal', 'Actors in memory'),
  service_actor_crashes: gauge('internal', 'Crashes of actors since the start'),
  service_actor_restarts: gauge('internal', 'Restarts of actors since the start'),
  service_actor_escalations: gauge('internal', 'Branches stopped past their restarts since the start'),
  service_actor_dead_letters: gauge('internal', 'Messages to nobody since the start'),
  service_actor_mailbox_full: gauge('internal', 'Messages refused by full mailboxes since the start'),
  service_streams_open: gauge('internal', 'Streams that have a reader'),
  service_turns_running: gauge('internal', 'Running turns'),
  service_queue_turns_waiting: gauge('internal', 'Turns that wait in the queue'),
  service_deliveries_pending: gauge('internal', 'Answers that have neither arrived nor been given up'),
  service_deliveries_oldest_age_seconds: gauge('internal', 'Age of the oldest pending answer; 0 without one'),
  service_alert_value: gauge('internal', 'What an alert rule judges by, at its last evaluation', [
    'rule',
    'workspace',
    'subject',
  ]),
  service_alert_volume: gauge('internal', 'How much there was to judge by', ['rule', 'workspace', 'subject']),
  service_webhook_posts_refused_total: counter('internal', 'Posts to webhooks of messengers with a wrong secret or id'),
  service_media_bytes_total: counter('internal', 'Bytes of files that came in and went out', ['way']),
  service_media_refused_total: counter('internal', 'Uploads that were refused, by the code of the error', ['code']),
  service_media_stored_bytes: gauge('internal', 'Bytes of files on the disk, each once'),
  service_defects_total: counter('internal', 'Errors that nobody caught', ['kind']),
  service_pool_now: gauge('internal', 'Threads, running and waiting tasks of a worker pool', ['pool', 'state']),
  service_pool_tasks_total: counter('internal', 'Tasks of a worker pool by their outcome', ['pool', 'end']),
  service_pool_wait_seconds: histogram('internal', 'Wait of a task for a thread', taskSeconds, ['pool']),
  service_pool_run_seconds: histogram('internal', 'Run of a task, with the way to the thread', taskSeconds, ['pool']),
} as const

interface Declaration<Kind extends string, Label extends string> {
  kind: Kind
  audience: Audience
  help: string
  labels: readonly Label[]
}

function gauge<Label extends string = never>(
  audience: Audience,
  help: string,
  labels: readonly Label[] = [],
): Declaration<'gauge', Label> {
  return { kind: 'gauge', audience, help, labels }
}

function counter<Label extends string = never>(
  audience: Audience,
  help: string,
  labels: readonly Label[] = [],
): Declaration<'counter', Label> {
  return { kind: 'counter', audience, help, labels }
}

function histogram<Label extends string>(
  audience: Audience,
  help: string,
  buckets: readonly number[],
  labels: readonly Label[],
): Declaration<'histogram', Label> & { buckets: readonly number[] } {
  return { kind: 'histogram', audience, help, labels, buckets }
}
