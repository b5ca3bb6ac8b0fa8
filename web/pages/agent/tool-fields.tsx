/** The tools and sub-agents that an agent may use; unknown names get a warning. */
import { Checkbox, Fieldset, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { TagsField } from '../../parts/tags-field.tsx'
import { type Translate, useText } from '../../text/text.ts'
import type { FieldsProps } from './draft.ts'
import { agentText } from './text.ts'

const limits = { toolsMax: 200, agentsMax: 50 }

export function ToolFields({ draft, change, isReadOnly, refused }: FieldsProps) {
  const t = useText(agentText)
  const tools = useQuery({ queryKey: ['tools'], queryFn: ({ signal }) => call('GET /v1/admin/tools', { signal }) })
  const agents = useQuery({
    queryKey: ['agents', 'names'],
    queryFn: ({ signal }) => call('GET /v1/admin/agents', { query: { limit: 200 }, signal }),
  })
  const toolNames = tools.data?.items.map(({ name }) => name) ?? []
  const about = new Map(tools.data?.items.map(({ name, risk, description }) => [name, `${risk} · ${description}`]))
  const agentNames = agents.data?.items.map(({ name }) => name).filter((name) => name !== draft.name) ?? []
  const isWhole = agents.data?.next_cursor === null
  const unknownTools = (names: string[]) =>
    tools.data ? unknown(names, (name) => toolNames.some((tool) => matches(tool, name)), t, 'unknownTools') : undefined
  const option = ({ option: { value } }: { option: { value: string } }) => (
    <div>
      <Text>{value}</Text>
      <Text size="sm" c="dimmed" lineClamp={2}>
        {about.get(value)}
      </Text>
    </div>
  )
  const shared = { disabled: isReadOnly, clearable: false, renderOption: option, data: toolNames }
  return (
    <Fieldset legend={t('toolsTitle')}>
      <Stack>
        <ErrorPanel error={tools.error} onRetry={() => void tools.refetch()} />
        <Checkbox
          label={t('limited')}
          description={t('limitedHint')}
          checked={draft.isLimited}
          onChange={(event) => change({ isLimited: event.currentTarget.checked })}
        />
        {draft.isLimited && (
          <TagsField
            {...shared}
            label={t('tools')}
            description={t('toolsHint')}
            maxTags={limits.toolsMax}
            value={draft.tools}
            error={refused?.startsWith('tools') ?? false}
            onChange={(names) => change({ tools: names })}
          />
        )}
        {draft.isLimited && unknownTools(draft.tools)}
        <TagsField
          {...shared}
          label={t('approval')}
          description={t('approvalHint')}
          maxTags={limits.toolsMax}
          value={draft.approval_tools}
          error={refused?.startsWith('approval_tools') ?? false}
          onChange={(names) => change({ approval_tools: names })}
        />
        {unknownTools(draft.approval_tools)}
        <TagsField
          disabled={isReadOnly}
          label={t('subAgents')}
          data={agentNames}
          maxTags={limits.agentsMax}
          value={draft.sub_agents}
          error={refused?.startsWith('sub_agents') ?? false}
          onChange={(names) => change({ sub_agents: names })}
        />
        {isWhole && unknown(draft.sub_agents, (name) => agentNames.includes(name), t, 'unknownAgents')}
      </Stack>
    </Fieldset>
  )
}

function unknown(
  names: string[],
  isKnown: (name: string) => boolean,
  t: Translate<typeof agentText.en>,
  message: 'unknownTools' | 'unknownAgents',
) {
  const missing = names.filter((name) => !isKnown(name))
  if (missing.length === 0) return null
  return (
    <Text size="sm" c="dimmed" role="status">
      {t(message, { names: missing.join(', ') })}
    </Text>
  )
}

/** As in the service: an asterisk at the end matches any ending. */
const matches = (tool: string, pattern: string): boolean =>
  pattern.endsWith('*') ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern
