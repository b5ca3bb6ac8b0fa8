/** Changes folder and tags of many conversations: first the count of those that would change, then the change. */

import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Body } from '../../api/types.ts'
import { Banner } from '../../parts/banner.tsx'
import { useBulkChange } from '../../parts/bulk-change.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { TagsField } from '../../parts/tags-field.tsx'
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

interface Changes {
  folderAction: 'keep' | 'set' | 'clear'
  folder: string
  addTags: string[]
  removeTags: string[]
}

const noChanges: Changes = { folderAction: 'keep', folder: '', addTags: [], removeTags: [] }

interface Counted {
  count: number
  asOf: string
}

interface OrganizeProps {
  chosen: Chosen
  onClose(isChanged: boolean): void
}

const countedMax = 10_000

export function Organize({ chosen, onClose }: OrganizeProps) {
  const t = useText(conversationsText)
  const c = useText(sharedText)
  const [changes, setChanges] = useState(noChanges)
  const [counted, setCounted] = useState<Counted>()
  const request = requestOf(chosen, changes)
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
  return (
    <Dialog onClose={() => onClose(changed !== undefined)} title={t('organizeTitle')}>
      <form onSubmit={counted ? go : counting.submit}>
        <Stack>
          <Text>{'ids' in chosen ? t('which', { n: chosen.ids.length }) : t('whichFound')}</Text>
          <ChangeFields
            changes={changes}
            isDisabled={changed !== undefined}
            onChange={(edited) => {
              // Any change of the request discards its count.
              setCounted(undefined)
              setChanges((before) => ({ ...before, ...edited }))
            }}
          />
          <ErrorPanel error={error ?? counting.error} />
          {counted && !changed && <CountAlert count={counted.count} />}
          {changed && (
            <Banner tone={changed.isDone ? 'ok' : 'info'} role="status">
              {t(changed.isDone ? 'done' : 'changing', { n: changed.changed })}
              {changed.isDone && counted && changed.changed < Math.min(counted.count, countedMax) && ` ${t('skipped')}`}
            </Banner>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => onClose(changed !== undefined)}>
              {c(changed ? 'close' : 'cancel')}
            </Button>
            {!changed?.isDone && (
              <Button
                type="submit"
                loading={isBusy || counting.isBusy}
                disabled={isEmpty(changes) || counted?.count === 0}
              >
                {t(counted ? 'apply' : 'count')}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

interface ChangeFieldsProps {
  changes: Changes
  isDisabled: boolean
  onChange(edited: Partial<Changes>): void
}

function ChangeFields({ changes, isDisabled, onChange }: ChangeFieldsProps) {
  const t = useText(conversationsText)
  return (
    <>
      <NativeSelect
        label={t('folderAction')}
        disabled={isDisabled}
        value={changes.folderAction}
        onChange={(event) => onChange({ folderAction: event.currentTarget.value as Changes['folderAction'] })}
        data={[
          { value: 'keep', label: t('folderKeep') },
          { value: 'set', label: t('folderSet') },
          { value: 'clear', label: t('folderClear') },
        ]}
      />
      {changes.folderAction === 'set' && (
        <TextInput
          label={t('folderName')}
          maxLength={200}
          required
          disabled={isDisabled}
          value={changes.folder}
          onChange={(event) => onChange({ folder: event.currentTarget.value })}
        />
      )}
      {(['addTags', 'removeTags'] as const).map((name) => (
        <TagsField
          key={name}
          label={t(name)}
          placeholder={t('tagsHint')}
          maxTags={50}
          acceptValueOnBlur
          disabled={isDisabled}
          value={changes[name]}
          onChange={(tags) => onChange({ [name]: tags })}
        />
      ))}
    </>
  )
}

function CountAlert({ count }: { count: number }) {
  const t = useText(conversationsText)
  return (
    <Banner tone="info" role="status">
      {count === 0
        ? t('noneChanges')
        : count > countedMax
          ? t('wouldChangeMany', { n: countedMax })
          : t('wouldChange', { n: count })}
    </Banner>
  )
}

function isEmpty({ folderAction, folder, addTags, removeTags }: Changes): boolean {
  const isFolderKept = folderAction === 'keep' || (folderAction === 'set' && folder.trim() === '')
  return isFolderKept && addTags.length === 0 && removeTags.length === 0
}

function requestOf(chosen: Chosen, { folderAction, folder, addTags, removeTags }: Changes): Request {
  return {
    ...('ids' in chosen ? { conversation_ids: chosen.ids } : { filter: filterOf(chosen.filter) }),
    ...(folderAction === 'set' && folder.trim() !== '' && { folder: folder.trim() }),
    ...(folderAction === 'clear' && { folder: null }),
    add_tags: addTags,
    remove_tags: removeTags,
  }
}

function filterOf({ folder, tag, channel }: Filter): NonNullable<Request['filter']> {
  return {
    ...(folder.trim() !== '' && { folder: folder.trim() }),
    ...(tag.trim() !== '' && { tag: tag.trim() }),
    ...(channel.trim() !== '' && { channel: channel.trim() }),
  }
}
