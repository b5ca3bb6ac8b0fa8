/** Loads the next page of a short list; nothing when all pages are loaded. */
import { Button } from '@mantine/core'
import { sharedText } from '../text/shared-text.ts'
import { useText } from '../text/text.ts'

interface PagedList {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): Promise<unknown>
}

export function LoadMore({ list }: { list: PagedList }) {
  const c = useText(sharedText)
  if (!list.hasNextPage) return null
  return (
    <Button size="xs" variant="subtle" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
      {c('loadMore')}
    </Button>
  )
}
