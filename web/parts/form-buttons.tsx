/** The last row of a form in a dialog: cancel, and the button that sends the form. */
import { Button, Group } from '@mantine/core'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'

interface FormButtonsProps {
  /** The label of the button that sends: a verb, not "OK". */
  action: string
  isBusy: boolean
  isDisabled?: boolean
  onClose(): void
}

export function FormButtons({ action, isBusy, isDisabled = false, onClose }: FormButtonsProps) {
  const c = useText(sharedText)
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {c('cancel')}
      </Button>
      <Button type="submit" loading={isBusy} disabled={isDisabled}>
        {action}
      </Button>
    </Group>
  )
}
