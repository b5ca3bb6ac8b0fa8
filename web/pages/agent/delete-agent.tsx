/** Deletes an agent after a confirmation. */
import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { useText } from '../../text/text.ts'
import type { Agent } from './draft.ts'
import { agentText } from './text.ts'

export function DeleteAgent({ agent, onDeleted }: { agent: Agent; onDeleted(): void }) {
  const t = useText(agentText)
  const [isOpen, { open, close }] = useDisclosure()
  const queries = useQueryClient()
  async function remove(): Promise<void> {
    await call('POST /v1/admin/agents/delete', { body: { agent_id: agent.id } })
    await queries.invalidateQueries({ queryKey: ['agents'] })
    onDeleted()
  }
  return (
    <>
      <Button variant="default" color="red" onClick={open}>
        {t('deleteAgent')}
      </Button>
      {isOpen && (
        <ConfirmAction
          title={t('deleteTitle', { name: agent.name })}
          actionLabel={t('deleteAgent')}
          onConfirm={remove}
          onClose={close}
        >
          {t('deleteWhy')}
        </ConfirmAction>
      )}
    </>
  )
}
