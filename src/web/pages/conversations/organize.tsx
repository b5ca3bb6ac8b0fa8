/** Many conversations put in order: what is wanted, how many that would change, and then done. */
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { Alert, Button, Group, Modal, NativeSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedWords } from '../../text/shared-words.ts'
import { useText } from '../../text/text.ts'
import { conversationsText } from './text.ts'

type Chosen = { ids: string[] } | { filter: { folder: string; tag: string; channel: string } }

interface OrganizeProps {
  chosen: Chosen
  onClose(isChanged: boolean): void
}

/** Requests of one go; each changes a thousand at most. */
const roundsMax = 1_000
const countedMax = 10_000

export function Organize({ chosen, onClose }: OrganizeProps) {
  const [t, c] = [useText(conversationsText), useText(sharedWords)]
  const queries = useQueryClient()
  const [folderWhat, setFolderWhat] = useState<'keep' | 'set' | 'clear'>('keep')
  const [folder, setFolder] = useState('')
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const [counted, setCounted] = useState<{ count: number; asOf: string }>()
  const [changed, setChanged] = useState<{ n: number; isDone: boolean }>()
  const isNothing =
    (folderWhat === 'keep' || (folderWhat === 'set' && folder.trim() === '')) && !add.length && !remove.length
  const order: Body<'POST /v1/admin/conversations/organize-many'> = {
    ...('ids' in chosen ? { conversation_ids: chosen.ids } : { filter: filterOf(chosen.filter) }),
    ...(folderWhat === 'set' && folder.trim() !== '' && { folder: folder.trim() }),
    ...(folderWhat === 'clear' && { folder: null }),
    ...{ add_tags: add, remove_tags: remove },
  }
  const { error, isBusy, submit } = useSubmit(async () => {
    if (!counted) {
      const answer = await call('POST /v1/admin/conversations/organize-many', { body: order })
      setCounted({ count: answer.count, asOf: answer.as_of })
      return
    }
    let n = 0
    for (let round = 0; round < roundsMax; round++) {
      const body = { ...order, as_of: counted.asOf }
      const answer = await call('POST /v1/admin/conversations/organize-many', { body })
      n += answer.changed
      setChanged({ n, isDone: !answer.has_more })
      if (!answer.has_more) break
    }
    await queries.invalidateQueries({ queryKey: ['conversations'] })
  })
  /** What was counted holds for what was asked only. */
  const anew =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      setCounted(undefined)
      set(value)
    }
  return (
    <Modal
      opened
      onClose={() => onClose(changed !== undefined)}
      title={t('organizeTitle')}
      closeButtonProps={{ 'aria-label': c('close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{'ids' in chosen ? t('which', { n: chosen.ids.length }) : t('whichFound')}</Text>
          <NativeSelect
            label={t('folderWhat')}
            disabled={changed !== undefined}
            value={folderWhat}
            onChange={(event) => anew(setFolderWhat)(event.currentTarget.value as 'keep' | 'set' | 'clear')}
            data={[
              { value: 'keep', label: t('folderKeep') },
              { value: 'set', label: t('folderSet') },
              { value: 'clear', label: t('folderClear') },
            ]}
          />
          {folderWhat === 'set' && (
            <TextInput
              label={t('folderName')}
              maxLength={200}
              required
              value={folder}
              onChange={(event) => anew(setFolder)(event.currentTarget.value)}
            />
          )}
          {(
            [
              ['addTags', add, setAdd],
              ['removeTags', remove, setRemove],
            ] as const
          ).map(([name, value, set]) => (
            <TagsInput
              key={name}
              label={t(name)}
              placeholder={t('tagsHint')}
              maxTags={50}
              acceptValueOnBlur
              disabled={changed !== undefined}
              value={value}
              onChange={anew(set)}
            />
          ))}
          <ErrorPanel error={error} />
          {counted && !changed && (
            <Alert color="blue" variant="light" role="status">
              {counted.count === 0
                ? t('noneChanges')
                : counted.count > countedMax
                  ? t('wouldChangeMany', { n: countedMax })
                  : t('wouldChange', { n: counted.count })}
            </Alert>
          )}
          {changed && (
            <Alert color={changed.isDone ? 'green' : 'blue'} variant="light" role="status">
              {t(changed.isDone ? 'done' : 'changing', { n: changed.n })}
              {changed.isDone && counted && changed.n < Math.min(counted.count, countedMax) && ` ${t('skipped')}`}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(changed !== undefined)}>
              {c(changed ? 'close' : 'cancel')}
            </Button>
            {!changed?.isDone && (
              <Button type="submit" loading={isBusy} disabled={isNothing || counted?.count === 0}>
                {t(counted ? 'apply' : 'count')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

function filterOf(filter: Record<string, string>): Record<string, string> {
  const named = Object.entries(filter).filter(([name, value]) => name !== 'text' && value.trim() !== '')
  return Object.fromEntries(named.map(([name, value]) => [name, value.trim()]))
}
