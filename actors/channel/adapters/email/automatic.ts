/** Recognises mail of machines. Answering it would disturb mailing lists, or start an endless exchange between two machines. */

/** Header lines as they came, names in lower case, in order. */
export type HeaderLines = readonly { key: string; line: string }[]

/** Values of a header, unfolded, without its name. */
export function headerValues(lines: HeaderLines, name: string): string[] {
  return lines
    .filter(({ key }) => key === name)
    .map(({ line }) =>
      line
        .slice(line.indexOf(':') + 1)
        .replace(/\r?\n/g, ' ')
        .trim(),
    )
}

const machineSenders =
  /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|no_reply|do_not_reply|bounces?|auto-?reply)(?:[+._-].*)?$/

/** @returns why the mail is not answered; undefined: a person may have written it. @see RFC 3834, 2. When (not) to respond */
export function whyAutomatic(
  lines: HeaderLines,
  sender: string,
  ownAddresses: ReadonlySet<string>,
): string | undefined {
  if (ownAddresses.has(sender)) return 'it comes from our own address'
  const local = sender.slice(0, sender.lastIndexOf('@'))
  if (machineSenders.test(local)) return 'its sender is a machine'
  const has = (name: string, test: (value: string) => boolean) =>
    headerValues(lines, name).some((value) => test(value.toLowerCase()))
  if (has('auto-submitted', (value) => !/^no\s*(?:[;(]|$)/.test(value))) return 'Auto-Submitted'
  if (has('return-path', (value) => /^<\s*>/.test(value))) return 'Return-Path is empty'
  if (has('precedence', (value) => /^(?:bulk|list|junk|auto_reply)\b/.test(value))) return 'Precedence'
  if (has('list-id', () => true)) return 'List-Id'
  // Only these values are about answers; the others are about receipts, which mail of people has too.
  if (has('x-auto-response-suppress', (value) => /\b(?:all|oof|autoreply)\b/.test(value)))
    return 'X-Auto-Response-Suppress'
  if (has('x-autoreply', (value) => value !== 'no') || has('x-autorespond', () => true)) return 'X-Autoreply'
  if (has('content-type', (value) => value.startsWith('multipart/report'))) return 'it is a delivery report'
  return undefined
}
