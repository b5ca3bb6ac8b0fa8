/** A program in the place of docker: it writes down what it is asked, and runs what would run inside as a child of its own. */
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Engine {
  /** A PATH that has nothing else. */
  path: string
  program: string
  calls(): string[][]
  remove(): Promise<void>
}

export async function standInEngine(name = 'docker'): Promise<Engine> {
  const path = await mkdtemp(join(tmpdir(), 'engine-'))
  const program = join(path, name)
  await writeFile(program, `#!${process.execPath}\n(${String(engine)})(${JSON.stringify(path)})\n`)
  await chmod(program, 0o755)
  return {
    path,
    program,
    calls() {
      const text = readFileSync(join(path, 'calls'), 'utf8')
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as string[])
    },
    remove: () => rm(path, { recursive: true }),
  }
}

/** Becomes text: it may use nothing from around it. */
function engine(folder: string): void {
  const fs = process.getBuiltinModule('node:fs')
  const { spawn } = process.getBuiltinModule('node:child_process')
  const words = process.argv.slice(2)
  fs.appendFileSync(`${folder}/calls`, `${JSON.stringify(words)}\n`)
  const running = (name: string | undefined) => `${folder}/running-${name}`
  if (words[0] !== 'run') {
    const file = running(words.at(-1))
    if (!fs.existsSync(file)) process.exit(1)
    process.kill(-Number(fs.readFileSync(file, 'utf8')), 'SIGKILL')
    return
  }
  if (words.includes('example.com/broken')) {
    process.stderr.write('no such image\n')
    process.exit(125)
  }
  const inside = words.slice(words.indexOf('-c')).map((word) => word.replaceAll('/tmp/program', `${folder}/program`))
  const child = spawn('/bin/sh', inside, { stdio: 'inherit', detached: true, env: { PATH: '/usr/bin:/bin' } })
  const file = running(words[words.indexOf('--name') + 1])
  fs.writeFileSync(file, String(child.pid))
  child.on('exit', (code, signal) => {
    fs.rmSync(file)
    process.exit(signal === null ? (code ?? 1) : 137)
  })
}
