/** What will change, before it does: every key with what it is and what it will be. */
import { Alert, Button, Code, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { sharedWords } from '../../text/shared-words.ts'
import { useText } from '../../text/text.ts'
import { commandsOf, type Draft, type Setting } from './draft.ts'
import { settingsText } from './text.ts'

interface ReviewProps {
  draft: Draft
  items: readonly Setting[]
  error: unknown
  refused: ReadonlyMap<string, string>
  isBusy: boolean
  onSave(): void
  onClose(): void
}

export function Review({ draft, items, error, refused, isBusy, onSave, onClose }: ReviewProps) {
  const [t, c] = [useText(settingsText), useText(sharedWords)]
  const changed = items.filter(({ key }) => draft.has(key))
  return (
    <Modal opened onClose={onClose} title={t('reviewTitle')} size="xl">
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
                      <Text size="xs" c="red">
                        {refused.get(setting.key)}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{beforeOf(setting, t)}</Table.Td>
                  <Table.Td>{afterOf(setting, draft, t)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        <div>
          <Text size="xs" c="dimmed">
            {t('cli')}
          </Text>
          <Code block>{commandsOf(draft, items)}</Code>
        </div>
        {refused.size > 0 ? <Alert color="red">{t('refused')}</Alert> : <ErrorPanel error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {c('cancel')}
          </Button>
          <Button onClick={onSave} loading={isBusy}>
            {c('save')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

type Words = ReturnType<typeof useText<typeof settingsText.en>>

function beforeOf(setting: Setting, t: Words): string {
  if (setting.secret) return t(setting.is_set ? 'secretSet' : 'secretUnset')
  return setting.value || t('blank')
}

function afterOf(setting: Setting, draft: Draft, t: Words): string {
  const change = draft.get(setting.key)
  if (change?.is === 'unset')
    return `${t('forget')}: ${setting.secret ? t('secretUnset') : setting.default || t('blank')}`
  if (setting.secret) return t('secretReplaced')
  return change?.text || t('blank')
}
