/** A name that leads to its page where that page is there and the role may see it; elsewhere the name alone. */
import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Permission } from '../api/session.ts'
import { linkTo } from './link-to.tsx'
import { useMayOpen } from './may-open.ts'

interface LinkIfMayProps {
  path: string
  /** As the page stands in the table of pages, such as `/turns/$id`; without it `path`. */
  page?: string
  permission: Permission
  children: ReactNode
}

export function LinkIfMay({ path, page = path, permission, children }: LinkIfMayProps) {
  const mayOpen = useMayOpen()
  return mayOpen(page, permission) ? (
    <Anchor inherit renderRoot={linkTo(path)}>
      {children}
    </Anchor>
  ) : (
    children
  )
}
