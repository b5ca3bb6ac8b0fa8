/** Two versions side by side in one column: each changed field with its removed and added lines. */
import { Stack, Text } from '@mantine/core'
import { Diff } from '../../parts/diff.tsx'
import { useText } from '../../text/text.ts'
import { diffAgents } from './diff.ts'
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

export function DiffView({ before, after }: { before: Versioned; after: Versioned }) {
  const t = useText(agentText)
  const fields = diffAgents(before, after)
  if (fields.length === 0) return <Text>{t('noDifference')}</Text>
  return (
    <Stack gap="sm">
      {fields.map(({ field, lines }) => (
        <div key={field}>
          <Text size="sm" fw={600}>
            {field in labels ? t(labels[field as keyof typeof labels]) : field}
          </Text>
          <Diff lines={lines} />
        </div>
      ))}
    </Stack>
  )
}
