/** Two versions side by side in one column: each changed field with its removed and added lines. */
import { Stack, Text, VisuallyHidden } from '@mantine/core'
import { useText } from '../../text/text.ts'
import { diffAgents, folded, type Line } from './diff.ts'
import styles from './diff-view.module.css'
import type { Definition } from './draft.ts'
import { agentText } from './text.ts'

interface Versioned {
  name: string
  definition: Partial<Definition>
}

const labels = {
  name: 'name',
  model: 'model',
  instructions: 'instructions',
  persona: 'persona',
  temperature: 'temperature',
  top_p: 'topP',
  max_tokens: 'maxTokens',
  context_tokens: 'contextTokens',
  reasoning_effort: 'effort',
  tools: 'tools',
  approval_tools: 'approval',
  sub_agents: 'subAgents',
} as const

const signs: Record<Line['is'], string> = { same: ' ', removed: '−', added: '+' }

export function DiffView({ before, after }: { before: Versioned; after: Versioned }) {
  const t = useText(agentText)
  const fields = diffAgents(before, after)
  if (fields.length === 0) return <Text size="sm">{t('noDifference')}</Text>
  return (
    <Stack gap="sm">
      {fields.map(({ field, lines }) => (
        <div key={field}>
          <Text size="xs" fw={600}>
            {field in labels ? t(labels[field as keyof typeof labels]) : field}
          </Text>
          <div className={styles['lines']}>
            {folded(lines).map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name, and all lines are rendered again
              <div key={at} data-is={line.is}>
                {line.is === 'folded' ? (
                  t('folded', { n: line.count })
                ) : (
                  <>
                    <span aria-hidden>{signs[line.is]}</span>
                    {line.is !== 'same' && <VisuallyHidden>{signs[line.is]}</VisuallyHidden>}
                    <span>{line.text}</span>
                  </>
                )}
              </div>
            ))}
          </div>
        </div>
      ))}
    </Stack>
  )
}
