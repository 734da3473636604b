// Arduino: a rise at pin 2 is answered at pin 3. A board with 5 V pins needs level shifters.
// Not built here.
const int INPUT_PIN = 2, OUTPUT_PIN = 3;

void answer() {
  digitalWrite(OUTPUT_PIN, HIGH);
  digitalWrite(OUTPUT_PIN, LOW);
}

void setup() {
  pinMode(INPUT_PIN, INPUT);
  pinMode(OUTPUT_PIN, OUTPUT);
  attachInterrupt(digitalPinToInterrupt(INPUT_PIN), answer, RISING);
}

void loop() {}
