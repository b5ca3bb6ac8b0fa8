/** Finds what a person wrote in a mail: the history that mail programs put below it is taken off, and the signature. */

/** Longer lines are nobody's attribution; they are not looked at. */
const lineCharactersMax = 1_000
/** Mail programs wrap "On … wrote:" at 76 characters; names and addresses make it up to this long. */
const attributionLinesMax = 4
/** A separator that lost its blank is only believed when little follows. */
const signatureLinesMax = 10

const quotedLine = /^\s{0,3}>/

const originalMessage =
  /^\s*-{2,}\s*(?:original message|original appointment|ursprüngliche nachricht|message d['’]origine|mensaje original|messaggio originale|oorspronkelijk bericht|mensagem original|исходное сообщение|пересылаемое сообщение)\s*-{2,}\s*$/i

/** "On Mon, 2 Mar 2026 at 10:00, Ada <ada@example.com> wrote:", in the languages that are met most. */
const attribution =
  /^\s*(?:on\s.+\swrote|am\s.+\sschrieb\b.*|le\s.+\sa écrit|el\s.+\sescribió|il\s.+\sha scritto|op\s.+\s(?:schreef\b.*|het volgende geschreven)|em\s.+\sescreveu|.{0,300}\s(?:писал|написал)(?:\(а\)|а)?)\s*:\s*$/i
const attributionStart = /^\s*(?:on|am|le|el|il|op|em|\S{2,4},|\d)\s?/i
/** Without one of these, "On reflection my boss wrote:" is somebody's own sentence. */
const attributionFact = /\d{1,2}[:.h]\d{2}|\b\d{4}\b|@|\d{1,2}[./-]\d{1,2}/

/** The lines of Outlook's header block, each with what it is called elsewhere. */
const fromField = /^\s*[*_]{0,2}(?:from|von|de|da|van|от)\s?:[*_]{0,2}\s*\S/i
const sentField =
  /^\s*[*_]{0,2}(?:sent|date|gesendet|datum|envoyé|enviado|inviato|data|verzonden|отправлено|дата)\s?:[*_]{0,2}\s*\S/i
/** Asked for too: "From", "To" and "Date" alone may be somebody's journey. */
const subjectField = /^\s*[*_]{0,2}(?:subject|betreff|objet|asunto|oggetto|onderwerp|assunto|тема)\s?:/i
/** Outlook's own line, and what becomes of `<hr>`. */
const ruler = /^\s*(?:_{20,}|-{20,})\s*$/

const forwardSubject = /^\s*(?:fwd?|wg|tr|rv|enc|doorst|пересл)\s*:/i
/** Forwarded mail is what the sender wants to be read. */
const forwardedMark = /^\s*(?:-{2,}\s*forwarded message\s*-{2,}|begin forwarded message:)\s*$/i

/**
 * @param text plain text of a mail, lines ended by \n
 * @returns what its sender wrote; never empty where `text` had anything
 */
export function writtenText(text: string, subject: string): string {
  const whole = text.trim()
  if (forwardSubject.test(subject)) return whole
  const lines = text.split('\n')
  if (lines.some((line) => isShort(line) && forwardedMark.test(line))) return whole
  const own = withoutSignature(withoutHistory(lines)).join('\n').trim()
  if (own !== '') return own
  // Nothing but history, or nothing but a signature: better all of it than silence.
  return withoutSignature(lines).join('\n').trim() || whole
}

function withoutHistory(lines: readonly string[]): readonly string[] {
  const cut = historyStart(lines)
  const above = cut === undefined ? lines : lines.slice(0, cut)
  const rest = withoutQuotedTail(above)
  return withoutQuotedHead(rest)
}

/** The line from which on all is history; quotes by ">" are looked at apart, as people answer between them. */
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

/** @returns the line behind an attribution that starts at `at` */
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

/** Quotes at the end go, with the attribution above them; those that somebody wrote beneath stay, as the answer needs them. */
function withoutQuotedTail(lines: readonly string[]): readonly string[] {
  const quotesAt = tailStart(lines)
  if (quotesAt === undefined) return withoutAttributionAtEnd(lines)
  return withoutAttributionAtEnd(lines.slice(0, quotesAt))
}

/** @returns where the quoted end of the text begins; a signature beneath it is no answer to it */
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

/** Somebody who answers below all of it: the attribution and the quote above are history too. */
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
