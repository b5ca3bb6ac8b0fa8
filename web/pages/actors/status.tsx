/** The status of an actor as a badge. */
import { Group } from '@mantine/core'
import { StatusBadge, type Tone } from '../../parts/status-badge.tsx'
import { useLanguage, useText } from '../../text/text.ts'
import { actorsText } from './text.ts'

const tones = {
  idle: 'quiet',
  starting: 'busy',
  running: 'good',
  restarting: 'bad',
  leaving: 'quiet',
  stopping: 'warn',
  gone: 'quiet',
} as const satisfies Record<string, Tone>

export type ActorStatus = keyof typeof tones

export function ActorState({ status }: { status: ActorStatus }) {
  const t = useText(actorsText)
  return <StatusBadge tone={tones[status]}>{t(status)}</StatusBadge>
}

export function StatusCounts({ counts }: { counts: readonly [ActorStatus, number][] }) {
  const t = useText(actorsText)
  const language = useLanguage()
  return (
    <Group gap={4}>
      {counts
        .filter(([, actors]) => actors > 0)
        .map(([status, actors]) => (
          <StatusBadge key={status} tone={tones[status]}>
            {`${actors.toLocaleString(language)} ${t(status)}`}
          </StatusBadge>
        ))}
    </Group>
  )
}
