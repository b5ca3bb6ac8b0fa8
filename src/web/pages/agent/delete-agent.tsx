/** Deleting an agent, after a question. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { ErrorPanel } from '../../parts/error-panel.tsx'
import { useSubmit } from '../../parts/submit.ts'
import { common } from '../../text/common.ts'
import { useText } from '../../text/text.ts'
import type { Agent } from './draft.ts'
import { agentText } from './text.ts'

export function DeleteAgent({ agent, onDeleted }: { agent: Agent; onDeleted(): void }) {
  const [t, c] = [useText(agentText), useText(common)]
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  const { error, isBusy, submit } = useSubmit(async () => {
    await call('POST /v1/admin/agents/delete', { body: { agent_id: agent.id } })
    await queries.invalidateQueries({ queryKey: ['agents'] })
    onDeleted()
  })
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('deleteAgent')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('deleteTitle', { name: agent.name })} centered>
        <Stack>
          <Text size="sm">{t('deleteWhy')}</Text>
          <ErrorPanel error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {c('cancel')}
            </Button>
            <Button color="red" loading={isBusy} onClick={() => submit()}>
              {t('deleteAgent')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
