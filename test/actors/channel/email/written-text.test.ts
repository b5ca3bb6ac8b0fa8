/** What a person wrote, taken out of mails as the common programs send them. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writtenText } from '../../../../actors/channel/adapters/email/quoted.ts'
import { processorMs } from '../../../support/processor-ms.ts'

const written = (lines: string[], subject = 'Re: My parcel') => writtenText(lines.join('\n'), subject)

const mails: [string, string[], string][] = [
  [
    'Gmail',
    [
      'Yes, please send it again.',
      '',
      'On Mon, Mar 2, 2026 at 10:00 AM Agent <agent@example.com> wrote:',
      '',
      '> Shall we send it again?',
      '>',
      '> On Sun, Mar 1, 2026 at 9:00 AM Ada <ada@example.org> wrote:',
      '>> Where is my parcel?',
      '',
    ],
    'Yes, please send it again.',
  ],
  [
    'Gmail, the attribution wrapped',
    [
      'Yes.',
      '',
      'On Mon, Mar 2, 2026 at 10:00 AM The Agent of the Example Company <',
      'agent@example.com> wrote:',
      '',
      '> Shall we send it again?',
    ],
    'Yes.',
  ],
  [
    'Gmail in German',
    ['Ja, bitte.', '', 'Am Mo., 2. März 2026 um 10:00 Uhr schrieb Agent <agent@example.com>:', '', '> Noch einmal?'],
    'Ja, bitte.',
  ],
  [
    'Gmail in French',
    ['Oui.', '', 'Le lun. 2 mars 2026 à 10:00, Agent <agent@example.com> a écrit :', '', '> Encore une fois ?'],
    'Oui.',
  ],
  [
    'Gmail in Russian',
    ['Да.', '', 'пн, 2 мар. 2026 г. в 10:00, Agent <agent@example.com>:', '> Ещё раз?'],
    'Да.\n\nпн, 2 мар. 2026 г. в 10:00, Agent <agent@example.com>:',
  ],
  [
    'Apple Mail',
    [
      'Yes please',
      '',
      'Sent from my iPhone',
      '',
      '> On 2 Mar 2026, at 10:00, Agent <agent@example.com> wrote:',
      '> ',
      '> Shall we send it again?',
    ],
    'Yes please\n\nSent from my iPhone',
  ],
  [
    'Outlook for Windows',
    [
      'Yes, please.',
      '',
      'Kind regards',
      'Ada',
      '',
      'From: Agent <agent@example.com>',
      'Sent: Monday, March 2, 2026 10:00 AM',
      'To: Ada Lovelace <ada@example.org>',
      'Subject: Re: My parcel',
      '',
      'Shall we send it again?',
    ],
    'Yes, please.\n\nKind regards\nAda',
  ],
  [
    'Outlook on the web',
    [
      'Yes.',
      '________________________________',
      'From: Agent <agent@example.com>',
      'Sent: Monday, March 2, 2026 10:00:00 AM',
      'To: Ada',
      'Subject: Re: My parcel',
      '',
      'Shall we?',
    ],
    'Yes.',
  ],
  [
    'Outlook in German',
    [
      'Ja.',
      '',
      'Von: Agent',
      'Gesendet: Montag, 2. März 2026 10:00',
      'An: Ada',
      'Betreff: AW: Paket',
      '',
      'Noch einmal?',
    ],
    'Ja.',
  ],
  ['old Outlook', ['Yes.', '', '-----Original Message-----', 'From: Agent', 'Sent: Monday', '', 'Shall we?'], 'Yes.'],
  [
    'a plain mail',
    ['Where is my parcel?', '', 'It was sent > 3 days ago.'],
    'Where is my parcel?\n\nIt was sent > 3 days ago.',
  ],
  [
    'HTML without marks before its quote',
    [
      'Yes.',
      '',
      'On 2 Mar 2026 10:00, Agent <agent@example.com> wrote:',
      '',
      'Shall we send it again?',
      'Kind regards',
    ],
    'Yes.',
  ],
  ['a signature', ['Yes.', '', '-- ', 'Ada Lovelace', 'Analyst'], 'Yes.'],
  ['a signature whose blank was lost', ['Yes.', '', '--', 'Ada Lovelace'], 'Yes.'],
  [
    'a signature above the history',
    ['Yes.', '-- ', 'Ada', '', 'On 2 Mar 2026 10:00, Agent wrote:', '> Shall we?'],
    'Yes.',
  ],
  [
    'a signature below the history',
    ['Yes.', '', 'On 2 Mar 2026 10:00, Agent wrote:', '> Shall we?', '', '-- ', 'Ada'],
    'Yes.',
  ],
  [
    'an answer below the history',
    ['On 2 Mar 2026 10:00, Agent wrote:', '> Shall we', '> send it again?', '', 'Yes, please.'],
    'Yes, please.',
  ],
  [
    'answers between the questions',
    ['On 2 Mar 2026 10:00, Agent wrote:', '> To which address?', 'The old one.', '> When?', 'Tomorrow.', '> Regards'],
    'On 2 Mar 2026 10:00, Agent wrote:\n> To which address?\nThe old one.\n> When?\nTomorrow.',
  ],
  [
    'somebody’s own words',
    ['On reflection my boss wrote:', 'do not send it.'],
    'On reflection my boss wrote:\ndo not send it.',
  ],
  [
    'a journey',
    ['Book me this:', 'From: Berlin', 'To: Munich', 'Date: 5 March 2026', 'Thanks'],
    'Book me this:\nFrom: Berlin\nTo: Munich\nDate: 5 March 2026\nThanks',
  ],
]

describe('what a person wrote', () => {
  it.each(mails)('in %s', (_program, lines, expected) => {
    expect(written(lines)).toBe(expected)
  })

  it.each(['Fwd: An offer', 'FW: An offer', 'WG: Angebot'])('is all of a forwarded mail (%s)', (subject) => {
    const lines = ['From: Grace', 'Sent: Monday', 'To: Ada', 'Subject: An offer', '', 'Buy now.']
    expect(written(['See below.', '', ...lines], subject)).toBe(['See below.', '', ...lines].join('\n'))
  })

  it('is all of it where a mail was forwarded beneath an answer', () => {
    const lines = [
      'See below.',
      '',
      '---------- Forwarded message ---------',
      'From: Grace <g@example.org>',
      '',
      'Buy now.',
    ]
    expect(written(lines)).toBe(lines.join('\n'))
  })

  it.each([
    [['> Where is my parcel?']],
    [['On 2 Mar 2026 10:00, Agent wrote:', '> Where is my parcel?']],
    [['-- ', 'Ada']],
    [['-----Original Message-----', 'From: Agent', '', 'Shall we?']],
  ])('is never nothing: %j', (lines) => {
    expect(written(lines)).toBe(lines.join('\n').trim())
  })

  it('is never nothing, and never new words, whatever the mail', () => {
    const line = fc.constantFrom(...mails.flatMap(([, lines]) => lines), '', '> ', '-- ', '--', 'Hello')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const own = written(lines)
        const whole = lines.join('\n')
        expect(whole).toContain(own)
        expect(own === '').toBe(whole.trim() === '')
      }),
    )
  })

  it('is found in the time of a few lines, also in half a million hostile characters', async () => {
    const hostile = [
      'On '.repeat(160_000),
      'On 1 a 10:00 wrote'.padEnd(990, ' wrote').concat('\n').repeat(500),
      '> \n'.repeat(160_000),
    ]
    for (const text of hostile) {
      expect(await processorMs(() => writtenText(text, ''))).toBeLessThan(1_000)
    }
  })
})
