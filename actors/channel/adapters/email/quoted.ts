/** Finds what a person wrote in a mail: removes the quoted history that mail programs add, and the signature. */

/** Longer lines are not attributions, and are not checked. */
const lineCharactersMax = 1_000
/** Mail programs wrap "On … wrote:" at 76 characters; with long names and addresses it has up to so many lines. */
const attributionLinesMax = 4
/** A separator without its trailing space counts only if at most so many lines follow. */
const signatureLinesMax = 10

const quotedLine = /^\s{0,3}>/

const originalMessage =
  /^\s*-{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|message d['’]origine|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|исходное сообщение|пересылаемое сообщение)\s*-{2,}\s*$/i

/** "On Mon, 2 Mar 2026 at 10:00, Ada <ada@example.com> wrote:", in the most common languages. */
const attribution =
  /^\s*(?:on\s.+\swrote|am\s.+\sschrieb\b.*|le\s.+\sa écrit|el\s.+\sescribió|il\s.+\sha scritto|op\s.+\s(?:schreef\b.*|het volgende geschreven)|em\s.+\sescreveu|.{0,300}\s(?:писал|написал)(?:\(а\)|а)?)\s*:\s*$/i
const attributionStart = /^\s*(?:on|am|le|el|il|op|em|\S{2,4},|\d)\s?/i
/** Required, because "On reflection my boss wrote:" is a sentence of the sender. */
const attributionFact = /\d{1,2}[:.h]\d{2}|\b\d{4}\b|@|\d{1,2}[./-]\d{1,2}/

/** The lines of Outlook's header block, with their names in other languages. */
const fromField = /^\s*[*_]{0,2}(?:from|von|de|da|van|от)\s?:[*_]{0,2}\s*\S/i
const sentField =
  /^\s*[*_]{0,2}(?:sent|date|gesendet|datum|envoyé|enviado|inviato|data|verzonden|отправлено|дата)\s?:[*_]{0,2}\s*\S/i
/** Required too: "From", "To" and "Date" alone may describe a journey. */
const subjectField = /^\s*[*_]{0,2}(?:subject|betreff|objet|asunto|oggetto|onderwerp|assunto|тема)\s?:/i
/** Outlook's separator, and the text of `<hr>`. */
const ruler = /^\s*(?:_{20,}|-{20,})\s*$/

const forwardSubject = /^\s*(?:fwd?|wg|tr|rv|enc|doorst|пересл)\s*:/i
/** Forwarded mail is not removed: the sender wants it to be read. */
const forwardedMark = /^\s*(?:-{2,}\s*forwarded message\s*-{2,}|begin forwarded message:)\s*$/i

/**
 * @param text plain text of a mail, with \n at the end of lines
 * @returns what the sender wrote; empty only if `text` is
 */
export function writtenText(text: string, subject: string): string {
  const whole = text.trim()
  if (forwardSubject.test(subject)) return whole
  const lines = text.split('\n')
  if (lines.some((line) => isShort(line) && forwardedMark.test(line))) return whole
  const own = withoutSignature(withoutHistory(lines)).join('\n').trim()
  if (own !== '') return own
  // Only history, or only a signature: then all of it is returned.
  return withoutSignature(lines).join('\n').trim() || whole
}

function withoutHistory(lines: readonly string[]): readonly string[] {
  const cut = historyStart(lines)
  const above = cut === undefined ? lines : lines.slice(0, cut)
  const rest = withoutQuotedTail(above)
  return withoutQuotedHead(rest)
}

/** The line at which the history begins. Quotes with ">" are handled separately, because people answer between them. */
function historyStart(lines: readonly string[]): number | undefined {
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (!isShort(line)) continue
    if (originalMessage.test(line)) return at
    if (ruler.test(line) && isHeaderBlock(lines, nextFilled(lines, at + 1))) return at
    if (fromField.test(line) && isHeaderBlock(lines, at)) return at
    const after = attributionEnd(lines, at)
    if (after === undefined) continue
    const next = nextFilled(lines, after)
    if (next < lines.length && !quotedLine.test(lines[next] ?? '')) return at
  }
  return undefined
}

/** @returns whether From, Sent or Date, and Subject stand together here */
function isHeaderBlock(lines: readonly string[], at: number): boolean {
  const block = lines.slice(at, at + 8).filter((line) => line.trim() !== '' && isShort(line))
  const first = block[0] ?? ''
  return (
    fromField.test(first) && block.some((line) => sentField.test(line)) && block.some((line) => subjectField.test(line))
  )
}

/** @returns the line after an attribution that starts at `at` */
function attributionEnd(lines: readonly string[], at: number): number | undefined {
  if (!attributionStart.test(lines[at] ?? '')) return undefined
  let joined = ''
  for (let end = at; end < Math.min(lines.length, at + attributionLinesMax); end++) {
    const line = lines[end] ?? ''
    if (!isShort(line) || line.trim() === '' || quotedLine.test(line)) return undefined
    joined = `${joined} ${line.trim()}`.slice(0, lineCharactersMax)
    if (joined.trimEnd().endsWith(':'))
      return attribution.test(joined) && attributionFact.test(joined) ? end + 1 : undefined
  }
  return undefined
}

/** Removes quotes at the end, with the attribution above them. Quotes with an answer below them stay. */
function withoutQuotedTail(lines: readonly string[]): readonly string[] {
  const quotesAt = tailStart(lines)
  if (quotesAt === undefined) return withoutAttributionAtEnd(lines)
  return withoutAttributionAtEnd(lines.slice(0, quotesAt))
}

/** @returns where the quotes at the end of the text begin; a signature below them does not count as an answer */
function tailStart(lines: readonly string[]): number | undefined {
  const signature = signatureStart(lines) ?? lines.length
  let start: number | undefined
  for (let at = signature - 1; at >= 0; at--) {
    const line = lines[at] ?? ''
    if (quotedLine.test(line)) start = at
    else if (line.trim() !== '') break
  }
  return start
}

function withoutAttributionAtEnd(lines: readonly string[]): readonly string[] {
  let end = lines.length
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--
  for (let at = end - 1; at >= Math.max(0, end - attributionLinesMax); at--) {
    if (attributionEnd(lines, at) === end) return lines.slice(0, at)
  }
  return lines.slice(0, end)
}

/** Removes an attribution and quote at the beginning, when the whole answer is below them. */
function withoutQuotedHead(lines: readonly string[]): readonly string[] {
  const first = nextFilled(lines, 0)
  const after = attributionEnd(lines, first)
  if (after === undefined) return lines
  let end = nextFilled(lines, after)
  if (!quotedLine.test(lines[end] ?? '')) return lines
  while (end < lines.length && (quotedLine.test(lines[end] ?? '') || (lines[end] ?? '').trim() === '')) end++
  const rest = lines.slice(end)
  return rest.some((line) => quotedLine.test(line)) ? lines : rest
}

function withoutSignature(lines: readonly string[]): readonly string[] {
  const start = signatureStart(lines)
  return start === undefined ? lines : lines.slice(0, start)
}

/** @see RFC 3676, 4.3 Usenet Signature Convention */
function signatureStart(lines: readonly string[]): number | undefined {
  const start = lines.lastIndexOf('-- ')
  if (start > 0) return start
  const bare = lines.lastIndexOf('--')
  return bare > 0 && lines.length - bare - 1 <= signatureLinesMax ? bare : undefined
}

function nextFilled(lines: readonly string[], from: number): number {
  let at = from
  while (at < lines.length && (lines[at] ?? '').trim() === '') at++
  return at
}

const isShort = (line: string): boolean => line.length <= lineCharactersMax
