// The program among others: files as editors, spreadsheets and pipes give them, two runs at once, and
// what an earlier run left in the folder.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

#define TINY "--steps 8 --held-out 8 --d-model 8 --d-k 4 --quiet"
#define TEXT "text --text README.md --layers 1 --heads 1 --d-model 8 --steps 2 --held-out 2 --quiet " \
             "--no-report --arms qkv"

// In the test's directory, as $t the program. Gives what was said.
static const char *shell(int expected, const char *script) {
    int status;
    const char *said = test_command(&status, "t=$(realpath %s); readme=$PWD/README.md; mkdir -p "
                                    "%s/others; cd %s/others; cp $readme . && { %s\n}",
                                    test_train(), test_directory(), test_directory(), script);
    CHECK(status == expected, "%s: expected status %d, got %d: %s", script, expected, status, said);
    return said;
}

static void says(int status, const char *script, const char *expected) {
    CHECK_STRING(shell(status, script), expected);
}

static void says_part(int status, const char *script, const char *part) {
    const char *said = shell(status, script);
    CHECK(strstr(said, part), "%s: expected \"%s\" in: %s", script, part, said);
}

// ---- pipes and devices -------------------------------------------------------------------------

static void models_from_pipes(void) {
    shell(0, "$t " TEXT " --out text && $t " TINY " --arms qk --no-report --out words");
    says(0, "a='the king sang .'; m=words/qk.safetensors; $t show $m \"$a\" | sed 1d >1; "
            "cat $m | $t show /dev/stdin \"$a\" | sed 1d >2; cmp 1 2", "");
    says(0, "m=text/qkv.safetensors; $t sample $m --length 9 >1; rm -f pipe; mkfifo pipe; "
            "cat $m >pipe & $t sample pipe --length 9 >2; cmp 1 2", "");
}

static void devices(void) {
    if (access("/dev/zero", R_OK)) test_skip("there is no /dev/zero");
    says(0, ": >nothing; $t show nothing 2>&1 | sed 's/[^:]*: [^:]*: //' >1; "
            "$t show /dev/null 2>&1 | sed 's/[^:]*: [^:]*: //' >2; cat 1; cmp 1 2",
         "a header of 0 bytes in a file of 0; expected 8 bytes that tell its length, then that many, "
         "at least 2\n");
    says(2, "$t show /dev/zero",
         "train: /dev/zero: File too large; expected a safetensors file of at most 4 GiB\n");
}

// ---- texts of other programs -------------------------------------------------------------------

#define QUESTIONS "pronoun --sentences $f " TINY " --arms qk --no-report --out o"
#define TREES "heads --conllu $f " TINY " --arms qk --no-report --out o"
#define CHARACTERS "text --text $f --layers 0 --heads 1 " TINY " --arms qkv --no-report --out o"

static const char texts[] =
    "printf 'a b c\\na -> b\\nc -> a\\n' >questions; "
    "for i in 1 2 3 4 5; do printf '\\n1\\ta\\t_\\tX\\t_\\t_\\t2\\tdet\\t_\\t_\\n"
    "2\\tb\\t_\\tX\\t_\\t_\\t0\\troot\\t_\\t_\\n'; done >trees; "
    "printf 'abcabcabcabcabc' >characters; ";

// "$f" is read as the same data whether it begins with a mark and whether its last line ends.
static void check_marks(const char *file, const char *command) {
    char script[1500];
    snprintf(script, sizeof script,
             "%s cut() { grep -a -o 'training data\":\"[^\"]*' o/*.safetensors; rm -r o; }; "
             "f=%s; $t %s >/dev/null && cut >1 && cat 1; "
             "{ printf '\\357\\273\\277'; sed '$d' %s; tail -n 1 %s | tr -d '\\n'; } >marked; "
             "f=marked; $t %s >/dev/null && cut >2; cmp 1 2", texts, file, command, file, file,
             command);
    says_part(0, script, "fingerprint");
}

static void marks_and_last_lines(void) {
    check_marks("questions", QUESTIONS);
    check_marks("trees", TREES);
    check_marks("characters", CHARACTERS);
}

static void check_utf16(const char *file, const char *command) {
    char script[1500];
    for (int big = 0; big < 2; big++) {
        snprintf(script, sizeof script,
                 "%s { printf '%s'; sed 's/./&@/g' %s | tr @ '\\000'; } >wide; f=wide; $t %s", texts,
                 big ? "\\376\\377\\000" : "\\377\\376", file, command);
        says(2, script, "train: wide: text in UTF-16; expected UTF-8: save it as that\n");
    }
}

static void utf16(void) {
    check_utf16("questions", QUESTIONS);
    check_utf16("trees", TREES);
    check_utf16("characters", CHARACTERS);
    says(2, "printf '\\377\\376t\\000' >s.csv; $t report s.csv",
         "train: s.csv: text in UTF-16; expected UTF-8: save it as that\n");
}

static void tables_of_editors(void) {
    shell(0, "rm -rf s; $t sweep " TINY " --arms xxt,qk --seeds 1:2 --out s >/dev/null");
    says(0, "cp s/sweep.csv a.csv; $t report a.csv; cp a.html right.html; "
            "{ printf '\\357\\273\\277'; sed '$d' s/sweep.csv; tail -n 1 s/sweep.csv | tr -d '\\n'; } "
            ">a.csv; $t report a.csv; cmp a.html right.html; "
            "sed 's/$/\\r/' s/sweep.csv >a.csv; $t report a.csv; cmp a.html right.html; "
            "printf '%s' \"$(cat a.csv)\" >b.csv; mv b.csv a.csv; $t report a.csv; "
            "cmp a.html right.html",
         "a.html\na.html\na.html\na.html\n");
    says(2, "head -c -30 s/sweep.csv >a.csv; $t report a.csv",
         "train: a.csv: it ends too early\n");
    says(0, "$t " TINY " --arms qk --out r >/dev/null; cp r/report.html right.html; for f in r/*.csv; do "
            "{ printf '\\357\\273\\277'; sed 's/$/\\r/' $f; } >x; mv x $f; done >/dev/null; "
            "$t report r; cmp r/report.html right.html", "r/report.html\n");
}

// ---- words for what is counted, and what is at fault -------------------------------------------

static void units(void) {
    shell(0, "$t " TEXT " --context 200 --out text && $t search " TINY " --arms kv --no-report "
             "--out pages && $t " TINY " --arms qk --no-report --out words");
    says_part(0, "COLUMNS=50 $t show text \"$(head -c 100 README.md)\"", " of 100 characters\n");
    says_part(0, "COLUMNS=24 $t show pages", " of 8 pages\n");
    says_part(0, "COLUMNS=24 $t show words 'the king gave the boat to the aunt and she sang .'",
              " of 12 words\n");
}

static void each_unknown_character_once(void) {
    shell(0, "$t " TEXT " --out text");
    says(0, "$t sample text --length 1 --prompt \"$(printf '\xE7\x8C\xAB e%.0s' $(seq 4000))\xE7\x8E\x8B\" "
            "2>&1 >/dev/null",
         "train: --prompt: \"\xE7\x8C\xAB\" never occurred in training and is read as <unk>\n"
         "train: --prompt: \"\xE7\x8E\x8B\" never occurred in training and is read as <unk>\n");
}

static void blames(const char *options, const char *expected) {
    char script[400], line[120];
    snprintf(script, sizeof script, "$t --steps 100 --held-out 16 --quiet --arms qk %s --out blamed "
             "2>&1 | sed 's/.*; a smaller/a smaller/'", options);
    snprintf(line, sizeof line, "a smaller %s may do better. What was measured before is in blamed\n",
             expected);
    says(0, script, line);
}

static void causes(void) {
    blames("--decay 1e9", "--decay");
    blames("--decay 1e4 --clip 1", "--decay");
    blames("--lr 1e9 --decay 1e9", "--decay or --lr");
    blames("--lr 1e9 --layers 2", "--lr or --clip 1");
    blames("--lr 1e9 --layers 2 --decay 1e-12", "--lr or --clip 1");
}

// ---- two at once -------------------------------------------------------------------------------

#define LONG "--steps 100000 --held-out 8 --d-model 8 --d-k 4 --arms qk --quiet --save-every 0.05"
// Starts the words before it for the time of what follows, up to END; $! is their process.
#define MEANWHILE " >log 2>&1 & p=$!; i=0; until [ -e $lock ] || [ $((i+=1)) -gt 200 ]; do " \
                  "sleep 0.05; done; "
#define END "kill -9 $p; wait $p 2>/dev/null; "

static void two_runs(void) {
    says(0, "rm -rf o; lock=o/.train.lock; $t " LONG " --out o" MEANWHILE
            "$t " TINY " --arms qk --out o 2>said; s=$?; sed \"s/$p/PID/\" said; echo $s; "
            "$t " TINY " --arms qk --out other >/dev/null && echo another; " END
            "$t " TINY " --arms qk --out o >/dev/null && echo free; ls -A o | grep lock; ls -A other "
            "| grep lock; :",
         "train: o: process PID writes its results there; expected another --out DIR, or a start "
         "after its end\n2\nanother\nfree\n");
}

static void two_sweeps(void) {
    says(0, "rm -rf o; lock=o/.sweep.lock; $t sweep " LONG " --out o" MEANWHILE
            "$t sweep " LONG " --out o 2>said; s=$?; sed \"s/$p/PID/\" said; echo $s; " END
            "rm -r o; lock=o/.sweep.1-of-2.lock; $t sweep " LONG " --seeds 1:2 --shard 1/2 --out o"
            MEANWHILE "$t sweep " LONG " --seeds 1:2 --shard 1/2 --out o 2>/dev/null; echo $?; "
            "q=$p; lock=o/.sweep.2-of-2.lock; $t sweep " LONG " --seeds 1:2 --shard 2/2 --out o"
            MEANWHILE "kill -0 $q && kill -0 $p && echo both; kill -9 $q; " END ":",
         "train: o: process PID writes its results there; expected another --out DIR, or a start "
         "after its end\n2\n2\nboth\n");
}

// ---- what an earlier run left ------------------------------------------------------------------

#define FAILS "--steps 40 --held-out 16 --quiet --decay 1e9 --arms xxt,qk --out o 2>/dev/null"
#define NONE "metrics.csv qk.attention.npy qk.scores.npy summary.json symmetry.csv " \
             "xxt.attention.npy xxt.safetensors xxt.scores.npy\n"

static void no_page_of_an_earlier_run(void) {
    shell(0, "rm -rf o; $t " TINY " --arms xxt,qk --out o >/dev/null; cd o; ls report.html "
             "snapshots.json loss.svg attention.svg qk.safetensors");
    says(0, "$t " FAILS "; echo $(ls o); $t report o 2>&1 | cut -c-26",
         NONE "train: o/snapshots.json: N\n");
    // Nor of a run that wrote none, or was killed once it had saved.
    says(0, "rm -rf o; $t " TINY " --arms qk --out o >/dev/null; $t " TINY " --arms qk --no-report "
            "--out o >/dev/null; ls o | grep -c 'html\\|svg\\|snapshots'; :", "0\n");
    says(0, "rm -rf o; $t " TINY " --arms qk --out o >/dev/null; lock=o/.train.lock; cp o/metrics.csv m; "
            "$t " LONG " --out o" MEANWHILE "i=0; while cmp -s m o/metrics.csv && [ $((i+=1)) -lt 200 ]; "
            "do sleep 0.05; done; " END "ls o | grep -c 'html\\|svg\\|snapshots'; :", "0\n");
}

// What the failing run saved itself is kept, and so is what it went on from.
static void its_own_weights_stay(void) {
    says(0, "rm -rf o; $t --steps 40 --save-every 1e-9 " FAILS "; ls o | grep qk.safe; "
            "rm -rf o; $t --steps 1 --held-out 16 --quiet --arms xxt,qk --out o >/dev/null; "
            "$t --resume " FAILS "; ls o | grep qk.safe",
         "qk.safetensors\nqk.safetensors\n");
    says(0, "rm -rf o; $t " TINY " --arms qk --out o >/dev/null; cp o/report.html .; $t --steps 0 --out o "
            "2>/dev/null; cmp report.html o/report.html", "");
}

void tests_others(void) {
    test("show and sample read a model from a pipe", models_from_pipes);
    test("/dev/null is an empty model, /dev/zero one that is too large", devices);
    test("a byte order mark or an open last line changes no text that is read", marks_and_last_lines);
    test("a text in UTF-16 is refused, and UTF-8 asked for", utf16);
    test("tables are read as spreadsheets and editors save them", tables_of_editors);
    test("a map counts words, characters or pages, as they are", units);
    test("a prompt's unknown characters are told once each", each_unknown_character_once);
    test("a divergence names the option that can be its cause", causes);
    test("a run into a folder where another one writes is refused, until that ends", two_runs);
    test("so is a sweep, but not another shard of it", two_sweeps);
    test("a failed run leaves no page, picture or weights of an earlier run", no_page_of_an_earlier_run);
    test("but the weights that it saved or went on from, and all if it never began",
         its_own_weights_stay);
}
