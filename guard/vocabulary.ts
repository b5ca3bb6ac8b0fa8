/** The trie of all words of the rules and of the learned part, built once for the whole process. */
import { lexicon } from './lexicon.ts'
import { families } from './likelihood/families.ts'
import { buildTrie, type Trie } from './trie.ts'

let made: Trie | undefined

/** Takes some milliseconds the first time. */
export function vocabulary(): Trie {
  made ??= buildTrie(lexicon, families)
  return made
}
