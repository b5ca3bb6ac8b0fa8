/** Every kind of event that others may be sent or may read: the one list. Who reads the feed has `events.read`; a key has admin:read. */

export const eventKinds = {
  'message.created': 'A message of a customer or an answer is stored.',
  'turn.started': 'A turn runs.',
  'turn.waiting': 'A turn waits for an operator.',
  'turn.completed': 'A turn has its answer.',
  'turn.failed': 'A turn has failed.',
  'turn.cancelled': 'A turn was cancelled.',
  'turn.interrupted': 'A turn ended with its process.',
  'step.waiting': 'A tool call waits for an approval.',
  'step.started': 'A tool call has begun.',
  'step.succeeded': 'A tool call has its result.',
  'step.failed': 'A tool call has failed.',
  'step.unknown': 'Whether a tool call took effect is not known.',
  'approval.requested': 'An approval waits for a decision.',
  'approval.decided': 'An approval was decided, or its time is over.',
  'delivery.pending': 'An answer waits for its delivery.',
  'delivery.delivered': 'An answer has arrived.',
  'delivery.failed': 'A delivery has failed and is retried.',
  'delivery.undeliverable': 'An answer was given up.',
  'delivery.cancelled': 'A delivery was cancelled.',
  'settings.changed': 'Settings took effect.',
  'alert.fired': 'An alert fires.',
  'alert.resolved': 'What an alert was about is over.',
  'alert.test': 'A test of the alerts by an operator.',
  'budget.soft_limit_reached': 'A budget has reached its soft limit in this period.',
  'budget.hard_limit_reached': 'A budget has reached its hard limit in this period.',
  'audit.added':
    'An entry of the audit log: its action and its target. For who may read that log; sent to no subscription.',
  'subscription.changed': 'A subscription was made, changed or deleted. Sent to no subscription.',
  'subscription.failed': 'An event for a subscription was given up. Sent to no subscription.',
} as const

/** What can be subscribed to: a kind, or all of a noun, such as `turn.*`. */
export function subscribableKinds(): string[] {
  const kinds = Object.keys(eventKinds).filter((kind) => !/^(audit|subscription)\./.test(kind))
  const nouns = new Set(kinds.map((kind) => `${kind.split('.')[0]}.*`))
  return [...nouns, ...kinds]
}
