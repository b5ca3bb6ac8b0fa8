/** Changes folder and tags of many conversations: first the count of those that would change, then the change. */
import '@mantine/core/styles/Pill.css'
import '@mantine/core/styles/PillsInput.css'
import { Alert, Button, Group, NativeSelect, Stack, TagsInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import { useBulkChange } from '../../parts/bulk-change.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { conversationsText } from './text.ts'

interface Filter {
  folder: string
  tag: string
  channel: string
}

type Request = Body<'POST /v1/admin/conversations/organize-many'>
type Chosen = { ids: string[] } | { filter: Filter }

interface OrganizeProps {
  chosen: Chosen
  onClose(isChanged: boolean): void
}

const countedMax = 10_000

export function Organize({ chosen, onClose }: OrganizeProps) {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  const [folderAction, setFolderAction] = useState<'keep' | 'set' | 'clear'>('keep')
  const [folder, setFolder] = useState('')
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const [counted, setCounted] = useState<{ count: number; asOf: string }>()
  const isNothing =
    (folderAction === 'keep' || (folderAction === 'set' && folder.trim() === '')) && !add.length && !remove.length
  const request: Request = {
    ...('ids' in chosen ? { conversation_ids: chosen.ids } : { filter: filterOf(chosen.filter) }),
    ...(folderAction === 'set' && folder.trim() !== '' && { folder: folder.trim() }),
    ...(folderAction === 'clear' && { folder: null }),
    add_tags: add,
    remove_tags: remove,
  }
  const counting = useSubmit(async () => {
    const answer = await call('POST /v1/admin/conversations/organize-many', { body: request })
    setCounted({ count: answer.count, asOf: answer.as_of })
  })
  const {
    progress: changed,
    error,
    isBusy,
    go,
  } = useBulkChange(() => {
    const body = { ...request, ...(counted && { as_of: counted.asOf }) }
    return call('POST /v1/admin/conversations/organize-many', { body })
  }, ['conversations'])
  /** Any change of the request discards its count. */
  const changing =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      setCounted(undefined)
      set(value)
    }
  return (
    <Dialog onClose={() => onClose(changed !== undefined)} title={t('organizeTitle')}>
      <form onSubmit={counted ? go : counting.submit}>
        <Stack>
          <Text size="sm">{'ids' in chosen ? t('which', { n: chosen.ids.length }) : t('whichFound')}</Text>
          <NativeSelect
            label={t('folderAction')}
            disabled={changed !== undefined}
            value={folderAction}
            onChange={(event) => changing(setFolderAction)(event.currentTarget.value as 'keep' | 'set' | 'clear')}
            data={[
              { value: 'keep', label: t('folderKeep') },
              { value: 'set', label: t('folderSet') },
              { value: 'clear', label: t('folderClear') },
            ]}
          />
          {folderAction === 'set' && (
            <TextInput
              label={t('folderName')}
              maxLength={200}
              required
              disabled={changed !== undefined}
              value={folder}
              onChange={(event) => changing(setFolder)(event.currentTarget.value)}
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
              onChange={changing(set)}
            />
          ))}
          <ErrorPanel error={error ?? counting.error} />
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
              {t(changed.isDone ? 'done' : 'changing', { n: changed.changed })}
              {changed.isDone && counted && changed.changed < Math.min(counted.count, countedMax) && ` ${t('skipped')}`}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(changed !== undefined)}>
              {c(changed ? 'close' : 'cancel')}
            </Button>
            {!changed?.isDone && (
              <Button type="submit" loading={isBusy || counting.isBusy} disabled={isNothing || counted?.count === 0}>
                {t(counted ? 'apply' : 'count')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

function filterOf({ folder, tag, channel }: Filter): NonNullable<Request['filter']> {
  return {
    ...(folder.trim() !== '' && { folder: folder.trim() }),
    ...(tag.trim() !== '' && { tag: tag.trim() }),
    ...(channel.trim() !== '' && { channel: channel.trim() }),
  }
}
