/** The review before saving: every changed key with its old and new value. */

import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { Banner } from '../../parts/banner.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { SmallTable } from '../../parts/small-table.tsx'
import { sharedText } from '../../text/shared-text.ts'
import { useText } from '../../text/text.ts'
import { Conflict } from './conflict.tsx'
import { commandsOf, type Draft, isConflicting, type Setting } from './draft.ts'
import { settingsText } from './text.ts'
import { changedText, presentText } from './values.ts'

interface ReviewProps {
  draft: Draft
  /** How the service's command begins on its machine. */
  command: string
  items: readonly Setting[]
  error: unknown
  refused: ReadonlyMap<string, string>
  isBusy: boolean
  onOverwrite(setting: Setting): void
  onUndo(setting: Setting): void
  onSave(): void
  onClose(): void
}

export function Review({
  draft,
  command,
  items,
  error,
  refused,
  isBusy,
  onOverwrite,
  onUndo,
  onSave,
  onClose,
}: ReviewProps) {
  const t = useText(settingsText)
  const c = useText(sharedText)
  const changed = items.filter(({ key }) => draft.has(key))
  const conflicting = changed.filter((setting) => isConflicting(draft, setting))
  return (
    <Dialog title={t('reviewTitle')} onClose={onClose} size="xl">
      <Stack>
        <SmallTable label={t('reviewTitle')} leastWidthPx={320}>
          <thead>
            <tr>
              <th>{c('name')}</th>
              <th>{t('before')}</th>
              <th>{t('after')}</th>
            </tr>
          </thead>
          <tbody>
            {changed.map((setting) => (
              <tr key={setting.key}>
                <td>
                  <Code>{setting.key}</Code>
                  {refused.has(setting.key) && (
                    <Text size="sm" c="red">
                      {refused.get(setting.key)}
                    </Text>
                  )}
                </td>
                <td>{presentText(setting, t)}</td>
                <td>{changedText(setting, draft.get(setting.key), t)}</td>
              </tr>
            ))}
          </tbody>
        </SmallTable>
        <div>
          <Text size="sm" c="dimmed">
            {t('cli')}
          </Text>
          <Code block>{commandsOf(draft, { command, items })}</Code>
        </div>
        {conflicting.map((setting) => {
          const change = draft.get(setting.key)
          return (
            change && (
              <section key={setting.key} aria-label={setting.key}>
                <Code>{setting.key}</Code>
                <Conflict
                  setting={setting}
                  change={change}
                  onMine={() => onOverwrite(setting)}
                  onTheirs={() => onUndo(setting)}
                />
              </section>
            )
          )
        })}
        {refused.size > 0 ? (
          <Banner tone="bad" role="alert">
            {t('refused')}
          </Banner>
        ) : (
          <ErrorPanel error={error} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {c('cancel')}
          </Button>
          <Button onClick={onSave} loading={isBusy} disabled={conflicting.length > 0}>
            {c('save')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
