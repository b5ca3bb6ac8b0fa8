import { expect, test } from 'vitest'
import { operator } from './support/command.ts'

test('a running service is listed as a node, drains when it is asked, and ends in good order', async () => {
  const { service, start } = await operator()
  expect(await service('nodes')).toEqual({ code: 0, text: 'no node has run within a day' })
  const running = await start()
  const [node] = JSON.parse((await service('nodes', '--json')).text)
  expect(node).toMatchObject({ pid: running.pid, state: 'running', slots: 256 })
  expect((await service('nodes')).text).toMatch(
    new RegExp(`^${node.epoch}\\s+running\\s+\\S+\\s+${running.pid}\\s`, 'm'),
  )

  const drained = await service('drain', String(node.epoch), '--wait')
  expect(drained).toEqual({ code: 0, text: `node ${node.epoch} drains\nnode ${node.epoch} has ended: stopped` })
  expect(await running.end).toBe(0)
  expect(running.lines.map(({ msg }) => msg)).toContain('an operator has asked this node to drain')
  for (const wrong of [String(node.epoch), '0', 'x', '99999999999999999999'])
    expect(await service('drain', wrong)).toMatchObject({
      code: 1,
      text: expect.stringContaining(`no node ${wrong} lives`),
    })
})
