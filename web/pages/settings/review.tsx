/** The review before saving: every changed key with its old and new value. */
import { Alert, Button, Code, Group, Stack, Table, Text } from '@mantine/core'
import { Dialog } from '../../parts/dialog.tsx'
import { ErrorPanel } from '../../parts/error-panel.tsx'
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
        <Table.ScrollContainer minWidth={320}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{c('name')}</Table.Th>
                <Table.Th>{t('before')}</Table.Th>
                <Table.Th>{t('after')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changed.map((setting) => (
                <Table.Tr key={setting.key}>
                  <Table.Td>
                    <Code>{setting.key}</Code>
                    {refused.has(setting.key) && (
                      <Text size="sm" c="red">
                        {refused.get(setting.key)}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{presentText(setting, t)}</Table.Td>
                  <Table.Td>{changedText(setting, draft.get(setting.key), t)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
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
        {refused.size > 0 ? <Alert color="red">{t('refused')}</Alert> : <ErrorPanel error={error} />}
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
