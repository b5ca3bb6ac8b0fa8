/** Attacks that show in signs rather than words: false roles, control tokens, links that send data away. */
import type { Source } from './verdict.ts'

interface Mark {
  readonly name: string
  readonly weight: Readonly<Record<Source, number>>
  /** Finds all places. Repetitions are bounded and do not overlap: linear time. */
  readonly pattern: RegExp
}

export interface MarkMatch {
  name: string
  weight: number
  start: number
  end: number
}

const marks: readonly Mark[] = [
  {
    name: 'control-token',
    weight: { user: 0.55, untrusted: 0.7 },
    pattern: /<[|｜][a-z0-9_ ▁-]{1,40}[|｜]>|\[\/?inst\]|<<\/?sys>>|<\/?(?:start|end)_of_turn>|<\/system>/g,
  },
  {
    name: 'false-role',
    weight: { user: 0.4, untrusted: 0.5 },
    pattern:
      /^[ \t]{0,8}[#*[<({-]{0,4}[ \t]?(?:system|developer|assistant|система|системное сообщение|tool result|tool output|end of user input|begin system)(?:[ _](?:message|prompt|note|override|update|instructions?|notice))?[ \t]?[*\])}>]{0,3}[ \t]?(?::|[\])}>]|$)/gm,
  },
  {
    name: 'carrying-image',
    weight: { user: 0, untrusted: 0.75 },
    // The address has a place where something is to be filled in.
    pattern:
      /!\[[^\]\n]{0,100}\]\([ \t]{0,3}https?:\/\/[^\s(){}[\]<>]{1,200}[=/](?:[{[<]|%7b|\$\{|your_|data_here|secret|history)/g,
  },
  {
    name: 'hidden-markup',
    weight: { user: 0, untrusted: 0.3 },
    pattern:
      /<!--[^<>]{0,80}\b(?:ai|assistant|llm|system|ии|ассистент)\b|(?:display:\s?none|font-size:\s?0|color:\s?(?:white|#fff))/g,
  },
]

const placesMax = 50

export function findMarks(text: string, source: Source): MarkMatch[] {
  const found: MarkMatch[] = []
  for (const { name, weight, pattern } of marks) {
    if (weight[source] === 0) continue
    let places = 0
    for (const match of text.matchAll(pattern)) {
      found.push({ name, weight: weight[source], start: match.index, end: match.index + match[0].length })
      if (++places >= placesMax) break
    }
  }
  return found
}
