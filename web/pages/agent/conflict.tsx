/** Two people changed one agent: both versions are shown, and the second one to save decides. */

import { Button, Group, Stack, Text } from '@mantine/core'
import { Banner } from '../../parts/banner.tsx'
import { useText } from '../../text/text.ts'
import { DiffView } from './diff-view.tsx'
import { type Agent, type Definition, type Draft, definitionOf } from './draft.ts'
import { agentText } from './text.ts'

interface ConflictProps {
  theirs: Agent
  mine: Draft
  onKeep(): void
  onTake(): void
}

export function Conflict({ theirs, mine, onKeep, onTake }: ConflictProps) {
  const t = useText(agentText)
  const after = { name: mine.name, definition: definitionOf(mine) as Partial<Definition> }
  return (
    <Banner tone="warn" role="alert" title={t('conflictTitle', { n: theirs.version })}>
      <Stack gap="sm">
        <Text>{t('conflictWhy', { by: theirs.updated_by })}</Text>
        <DiffView before={theirs} after={after} />
        <Group>
          <Button onClick={onKeep}>{t('keepMine')}</Button>
          <Button variant="default" onClick={onTake}>
            {t('takeTheirs')}
          </Button>
        </Group>
      </Stack>
    </Banner>
  )
}
