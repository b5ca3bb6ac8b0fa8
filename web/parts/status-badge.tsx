/** A coloured status; the text alone must be enough. */
import { Badge } from '@mantine/core'

export type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'quiet'
const colours: Record<Tone, string> = { good: 'green', busy: 'blue', bad: 'red', warn: 'yellow', quiet: 'gray' }

export function StatusBadge({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge color={colours[tone]} variant="light" size="sm" tt="none" radius="sm" style={{ flexShrink: 0 }}>
      {children}
    </Badge>
  )
}
