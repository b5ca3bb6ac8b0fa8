/** A link in a text of others: only to the web and to mail addresses, without a referrer, with its address on hover. */
import type { ReactNode } from 'react'

const schemes = new Set(['http:', 'https:', 'mailto:'])

export function MarkdownLink({ href, children }: { href: string; children: ReactNode }) {
  if (!isAllowed(href)) return <span title={href}>{children}</span>
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow ugc" title={href}>
      {children}
    </a>
  )
}

/** Absolute addresses of known schemes: a relative one would lead into this UI. */
function isAllowed(href: string): boolean {
  try {
    return schemes.has(new URL(href).protocol)
  } catch {
    return false
  }
}
