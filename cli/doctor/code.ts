/** Which sandbox runs the code of agents, and what of it is not contained: found out by running something. */
import type { Settings } from '../../config/settings.ts'
import { describeSandboxes } from '../../tools/code/describe.ts'
import { type Finding, ok, warning } from './finding.ts'

/** @param path where container engines and bubblewrap are looked for */
export async function checkCode(settings: Settings, path = process.env['PATH'] ?? ''): Promise<Finding[]> {
  const { isEnabled, sandboxes, problems } = await describeSandboxes(settings, path)
  if (!isEnabled) return []
  const findings = sandboxes.map(({ name, languages, strength, notContained }): Finding => {
    const found = `${name} runs ${languages.join(', ')} (${strength}); not contained: ${notContained.join('; ')}`
    if (strength !== 'weak') return ok('code', found)
    return warning('code', found, 'Install bubblewrap, or set SERVICE_CODE_EXEC_SANDBOX_IMAGE: see docs/tools.md.')
  })
  const advice = 'Put right what is named, or code of those languages is refused or less contained: see docs/tools.md.'
  return [...findings, ...problems.map((problem) => warning('code', problem, advice))]
}
