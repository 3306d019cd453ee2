/** Frequencies (Hz) of the two tones, low enough to hear on small speakers and not to alarm. */
const TONES = [660, 880] as const;
/** Length (s) of each tone. */
const TONE_S = 0.12;
const VOLUME = 0.15;

/** Plays two short tones. Does nothing if the browser refuses sound without a click on the page. */
export function playSound(): void {
  const context = new AudioContext();
  const gain = context.createGain();
  gain.gain.value = VOLUME;
  gain.connect(context.destination);
  for (const [index, frequency] of TONES.entries()) {
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain);
    tone.start(context.currentTime + index * TONE_S);
    tone.stop(context.currentTime + (index + 1) * TONE_S);
    if (index === TONES.length - 1) tone.onended = () => void context.close();
  }
}
