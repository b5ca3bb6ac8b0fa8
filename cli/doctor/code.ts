/** Which sandbox runs the code of agents, and what it does not contain: found by running something. */
import type { Settings } from '../../config/settings.ts'
import { describeSandboxes } from '../../tools/code/describe.ts'
import { type Finding, ok, warning } from './finding.ts'

/** @param path the folders in which container engines and bubblewrap are searched */
export async function checkCode(settings: Settings, path = process.env['PATH'] ?? ''): Promise<Finding[]> {
  const { isEnabled, sandboxes, problems } = await describeSandboxes(settings, path)
  if (!isEnabled) return []
  const findings = sandboxes.map(({ name, languages, strength, notContained }): Finding => {
    const found = `${name} runs ${languages.join(', ')} (${strength}); not contained: ${notContained.join('; ')}`
    if (strength !== 'weak') return ok('code', found)
    return warning('code', found, 'Install bubblewrap, or set SERVICE_CODE_EXEC_SANDBOX_IMAGE: see docs/tools.md.')
  })
  const advice = 'Until this is corrected, code in those languages is refused or less contained: see docs/tools.md.'
  return [...findings, ...problems.map((problem) => warning('code', problem, advice))]
}
