/** The versions of an agent: compared with each other, and restored. */
import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { LoadMore } from '../../parts/load-more.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { Time } from '../../parts/time.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { DiffView } from './diff-view.tsx'
import type { Agent } from './draft.ts'
import { agentText } from './text.ts'

type Version = Answer<'GET /v1/admin/agents/versions'>['items'][number]

interface VersionsProps {
  agent: Agent
  hasUnsaved: boolean
  onRestored(agent: Agent, warnings: string[]): Promise<void>
}

export function Versions({ agent, hasUnsaved, onRestored }: VersionsProps) {
  const t = useText(agentText)
  const { may } = useSession()
  const [compared, setCompared] = useState<[number, number]>()
  const [versionToRestore, setVersionToRestore] = useState<Version>()
  const list = useInfiniteQuery({
    queryKey: ['agent-versions', agent.id],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { agent_id: agent.id, limit: 20, ...(pageParam !== undefined && { cursor: pageParam }) }
      return call('GET /v1/admin/agents/versions', { query, signal })
    },
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  })
  const versions = list.data?.pages.flatMap((page) => page.items) ?? []
  return (
    <Stack gap="sm" maw={860}>
      <Title order={2}>{t('versions')}</Title>
      <ErrorPanel error={list.error} onRetry={() => void list.refetch()} />
      <SmallTable label={t('versions')}>
        <tbody>
          {versions.map((version, at) => (
            <tr key={version.version}>
              <td data-number>{version.version}</td>
              <td>
                <Time iso={version.saved_at} /> · {version.saved_by}
              </td>
              <td>
                <Group gap="sm" justify="flex-end">
                  {versions[at + 1] !== undefined && (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`${t('compare')}: ${version.version}`}
                      onClick={() => setCompared([versions[at + 1]?.version ?? version.version, version.version])}
                    >
                      {t('compare')}
                    </Button>
                  )}
                  {version.version !== agent.version && may('agents.write') && (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={`${t('restore')}: ${version.version}`}
                      onClick={() => setVersionToRestore(version)}
                    >
                      {t('restore')}
                    </Button>
                  )}
                </Group>
              </td>
            </tr>
          ))}
        </tbody>
      </SmallTable>
      <LoadMore list={list} />
      {compared && (
        <Compared versions={versions} pair={compared} onChange={setCompared} onClose={() => setCompared(undefined)} />
      )}
      {versionToRestore && (
        <Restore
          agent={agent}
          hasUnsaved={hasUnsaved}
          onRestored={onRestored}
          version={versionToRestore}
          onClose={() => setVersionToRestore(undefined)}
        />
      )}
    </Stack>
  )
}

interface ComparedProps {
  versions: Version[]
  pair: [number, number]
  onChange(pair: [number, number]): void
  onClose(): void
}

function Compared({ versions, pair: [from, to], onChange, onClose }: ComparedProps) {
  const t = useText(agentText)
  const numbers = versions.map(({ version }) => String(version))
  const before = versions.find(({ version }) => version === from)
  const after = versions.find(({ version }) => version === to)
  return (
    <Dialog onClose={onClose} title={t('diffTitle')} size="xl">
      <Stack>
        <Group grow>
          <NativeSelect
            label={t('from')}
            data={numbers}
            value={String(from)}
            onChange={(event) => onChange([Number(event.currentTarget.value), to])}
          />
          <NativeSelect
            label={t('to')}
            data={numbers}
            value={String(to)}
            onChange={(event) => onChange([from, Number(event.currentTarget.value)])}
          />
        </Group>
        {before && after && <DiffView before={before} after={after} />}
      </Stack>
    </Dialog>
  )
}

function Restore({
  agent,
  version,
  hasUnsaved,
  onRestored,
  onClose,
}: VersionsProps & { version: Version; onClose(): void }) {
  const t = useText(agentText)
  const c = useText(sharedText)
  const { error, isBusy, submit } = useSubmit(async () => {
    const body = { agent_id: agent.id, version: version.version }
    const { warnings, ...restored } = await call('POST /v1/admin/agents/restore', { body })
    await onRestored(restored, warnings)
    onClose()
  })
  return (
    <Dialog onClose={onClose} title={t('restoreTitle', { n: version.version })} size="lg">
      <Stack>
        <Text>
          {t('restoreWhy')} {hasUnsaved && t('restoreUnsaved')}
        </Text>
        <DiffView before={agent} after={version} />
        <ErrorPanel error={error} messages={{ agent_name_taken: t('nameTaken') }} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {c('cancel')}
          </Button>
          <Button loading={isBusy} onClick={() => submit()}>
            {t('restore')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
