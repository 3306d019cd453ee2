import { type Block, isCommand, needsServer, startsServer } from './blocks.ts';

/** Functions of the shell that runs a page. `npm start` stays open, so it runs beside the following blocks. */
const PRELUDE = `set -e
tarsy=
stop_tarsy() {
  [ -z "$tarsy" ] && return
  kill -INT -- "-$tarsy" 2>/dev/null || true
  wait "$tarsy" || true
  tarsy=
}
start_tarsy() {
  stop_tarsy
  setsid "$@" >tarsy.log 2>&1 &
  tarsy=$!
  for _ in $(seq 600); do
    grep -q 'TARSy is ready' tarsy.log && return
    kill -0 "$tarsy" 2>/dev/null || break
    sleep 1
  done
  cat tarsy.log
  echo 'TARSy did not become ready'
  return 1
}
trap stop_tarsy EXIT
`;

/** Port that the pages name. The runner puts a free one in its place. */
const PAGE_PORT = '127.0.0.1:8080';

/**
 * Returns the script that runs the blocks of a page one after the other in one shell. A page whose first command asks a
 * started TARSy gets one. The script ends at the first command that fails.
 */
export function pageScript(page: string, blocks: readonly Block[], port: number): string {
  const run = blocks.filter((block) => isCommand(block) && block.notRun === null);
  const asks = run.findIndex(needsServer);
  const isGiven = asks >= 0 && !startsServer(run[asks]!);
  return [
    PRELUDE,
    ...(isGiven ? ["printf '\\n▸ npm start, which the page expects\\n'", 'start_tarsy npm start'] : []),
    ...run.map((block) => `printf '\\n▸ ${page}:${block.line}\\n'\n${commandsOf(block, port)}`),
    "printf '\\n▸ done\\n'",
    '',
  ].join('\n');
}

function commandsOf({ text, stopAfter }: Block, port: number): string {
  const here = text
    .replaceAll(PAGE_PORT, `127.0.0.1:${port}`)
    .replaceAll(/\bnpm start\b/g, 'start_tarsy npm start');
  if (stopAfter === null) return here;
  // A subshell, because the block is stopped. An empty output counts as a failure.
  return `( ${here.trimEnd()}\n) >opened.log & opened=$!
sleep ${stopAfter}; pkill -P "$opened" || kill "$opened" || true; wait "$opened" || true
cat opened.log; [ -s opened.log ]`;
}

/** Returns the blocks before the first one that needs a started TARSy or installs packages. They take seconds. */
export function quickBlocks(blocks: readonly Block[]): Block[] {
  const isSlow = (block: Block) =>
    isCommand(block) && block.notRun === null && (needsServer(block) || /\bnpm ci\b/.test(block.text));
  const slow = blocks.findIndex(isSlow);
  return blocks
    .slice(0, slow < 0 ? blocks.length : slow)
    .filter((block) => isCommand(block) && block.notRun === null);
}
