/** The labelled set in its halves. */
import { developmentAttacks } from './development-attacks.ts'
import { secondDevelopmentAttacks } from './development-attacks-2.ts'
import { thirdDevelopmentAttacks } from './development-attacks-3.ts'
import { fourthDevelopmentAttacks } from './development-attacks-4.ts'
import { fifthDevelopmentAttacks } from './development-attacks-5.ts'
import { sixthDevelopmentAttacks } from './development-attacks-6.ts'
import { seventhDevelopmentAttacks } from './development-attacks-7.ts'
import { developmentBenign } from './development-benign.ts'
import { secondDevelopmentBenign } from './development-benign-2.ts'
import { thirdDevelopmentBenign } from './development-benign-3.ts'
import { fourthDevelopmentBenign } from './development-benign-4.ts'
import { fifthDevelopmentBenign } from './development-benign-5.ts'
import { sixthDevelopmentBenign } from './development-benign-6.ts'
import { seventhDevelopmentBenign } from './development-benign-7.ts'
import { heldOutAttacks } from './held-out-attacks.ts'
import { heldOutBenign } from './held-out-benign.ts'

/** Tuned with. */
export const development = {
  attacks: [
    ...developmentAttacks,
    ...secondDevelopmentAttacks,
    ...thirdDevelopmentAttacks,
    ...fourthDevelopmentAttacks,
    ...fifthDevelopmentAttacks,
    ...sixthDevelopmentAttacks,
    ...seventhDevelopmentAttacks,
  ],
  benign: [
    ...developmentBenign,
    ...secondDevelopmentBenign,
    ...thirdDevelopmentBenign,
    ...fourthDevelopmentBenign,
    ...fifthDevelopmentBenign,
    ...sixthDevelopmentBenign,
    ...seventhDevelopmentBenign,
  ],
}

/** Never tuned with: who changes a rule for one of these moves it to the others and writes a new one. */
export const heldOut = { attacks: heldOutAttacks, benign: heldOutBenign }
