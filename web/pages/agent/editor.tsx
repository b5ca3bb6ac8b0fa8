/** The form of an agent: input stays until it is saved or discarded, even if the agent changes elsewhere. */

import { Button, Group, List, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ApiFailure, call } from '../../api/call.ts'
import { useSession } from '../../app/session.tsx'
import { Banner } from '../../parts/banner.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { targetOf } from '../../parts/link-to.tsx'
import { Page } from '../../parts/page.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { useLeaveGuard } from '../../parts/unsaved.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { Conflict } from './conflict.tsx'
import { DeleteAgent } from './delete-agent.tsx'
import { type Agent, type Draft, definitionOf, draftOf, emptyDraft, isSame } from './draft.ts'
import { Fields } from './fields.tsx'
import { agentText } from './text.ts'
import { Versions } from './versions.tsx'

export function Editor({ read }: { read: Agent | undefined }) {
  const t = useText(agentText)
  const c = useText(sharedText)
  const isWriter = useSession().may('agents.write')
  const form = useAgentForm(read)
  const { base, draft, isChanged, conflict, result } = form
  return (
    <Page
      title={base?.name ?? t('newAgent')}
      about={t('about')}
      actions={base && isWriter && <DeleteAgent agent={base} onDeleted={form.leave} />}
    >
      {!isWriter && <Text>{t('readOnly')}</Text>}
      {read && base && read.version > base.version && !conflict && (
        <Banner tone="warn" role="status">
          {t('newer', { n: read.version, by: read.updated_by })}
        </Banner>
      )}
      <form onSubmit={form.submit}>
        <Stack maw={860}>
          <Fields draft={draft} change={form.change} isReadOnly={!isWriter} refused={refusedField(form.error)} />
          {conflict && (
            <Conflict theirs={conflict} mine={draft} onKeep={() => form.submit()} onTake={() => form.take(conflict)} />
          )}
          <ErrorPanel error={form.error} messages={{ agent_name_taken: t('nameTaken') }} />
          {result && !isChanged && (
            <Banner tone={result.warnings.length > 0 ? 'warn' : 'ok'} role="status">
              {result.warnings.length > 0 ? t('warnings') : t('saved', { n: result.version })}
              <List>
                {result.warnings.map((warning) => (
                  <List.Item key={warning}>{warning}</List.Item>
                ))}
              </List>
            </Banner>
          )}
          {isWriter && (
            <Group>
              <Button type="submit" loading={form.isBusy} disabled={!isChanged || conflict !== undefined}>
                {base ? t('save') : c('create')}
              </Button>
              {isChanged && base && (
                <Button variant="default" onClick={() => form.take(read ?? base)}>
                  {c('discard')}
                </Button>
              )}
              {base && <Text c="dimmed">{t('versionNow', { n: base.version })}</Text>}
            </Group>
          )}
        </Stack>
      </form>
      {base && <Versions agent={base} hasUnsaved={isChanged} onRestored={form.restored} />}
    </Page>
  )
}

const refusedField = (error: unknown): string | undefined =>
  error instanceof ApiFailure ? error.param?.replace(/^definition\./, '') : undefined

interface Result {
  version: number
  warnings: string[]
}

/** `base` is the version on which the draft is based; a newer version does not change the draft. */
function useAgentForm(read: Agent | undefined) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [base, setBase] = useState(read)
  const [draft, setDraft] = useState<Draft>(read ? draftOf(read) : emptyDraft)
  const [conflict, setConflict] = useState<Agent>()
  const [result, setResult] = useState<Result>()
  const [goal, setGoal] = useState<string>()
  const isChanged = !isSame(draft, base ? draftOf(base) : emptyDraft)
  useLeaveGuard(isChanged && goal === undefined)
  useEffect(() => {
    if (goal !== undefined) void navigate(targetOf(goal))
  }, [goal, navigate])

  function show(agent: Agent): void {
    setBase(agent)
    setDraft(draftOf(agent))
    setConflict(undefined)
    setResult(undefined)
  }
  useEffect(() => {
    // Without unsaved changes the newer version is shown at once.
    if (read && base && read.version > base.version && !isChanged) {
      setBase(read)
      setDraft(draftOf(read))
      setResult(undefined)
    }
  }, [read, base, isChanged])

  async function changed(id: string): Promise<void> {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['agent-versions', id] }),
      queries.invalidateQueries({ queryKey: ['agents'] }),
    ])
  }
  async function save(over: Agent | undefined): Promise<void> {
    const definition = definitionOf(draft)
    if (!over) {
      const created = await call('POST /v1/admin/agents', { body: { name: draft.name.trim(), definition } })
      await queries.invalidateQueries({ queryKey: ['agents'] })
      setGoal(`/agents/${created.id}`)
      return
    }
    const body = { agent_id: over.id, version: over.version, name: draft.name.trim(), definition }
    try {
      const { warnings, ...saved } = await call('POST /v1/admin/agents/update', { body })
      queries.setQueryData(['agent', saved.id], saved)
      await changed(saved.id)
      show(saved)
      setResult({ version: saved.version, warnings })
    } catch (error) {
      if (!(error instanceof ApiFailure && error.code === 'version_conflict')) throw error
      setConflict(await call('GET /v1/admin/agents/{agent_id}', { params: { agent_id: over.id } }))
    }
  }
  const { error, isBusy, submit } = useSubmit(() => save(conflict ?? base))
  return {
    base,
    draft,
    isChanged,
    conflict,
    result,
    error,
    isBusy,
    take: show,
    change: (changed: Partial<Draft>) => setDraft((before) => ({ ...before, ...changed })),
    submit,
    async restored(agent: Agent, warnings: string[]): Promise<void> {
      queries.setQueryData(['agent', agent.id], agent)
      await changed(agent.id)
      show(agent)
      setResult({ version: agent.version, warnings })
    },
    leave: () => setGoal('/agents'),
  }
}
