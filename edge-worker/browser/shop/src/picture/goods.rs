//! What comes in a package.

use super::Colours::{Of, Own};
use super::Motif;

macro_rules! motifs {
    ($($name:ident, $colours:expr, $shapes:literal;)*) => {
        $(pub(super) static $name: Motif = Motif { shapes: $shapes, colours: $colours };)*
    };
}

motifs! {
    CARTON, Own,
        r##"<path d="M62 80l20-30h40l20 30v76c0 3-2 6-6 6H68c-4 0-6-3-6-6z" fill="#f4f6f8"/><path d="M62 80l20-30h40l20 30z" fill="{a}"/><path d="M80 42h44v10H80z" fill="{c}"/><path d="M62 108c20-14 36 14 56 0 10-6 18-4 24 0v30H62z" fill="{b}"/>"##;
    BUTTER, Of(["#f3d774", "#f9ebb5", "#c9d3dc"]),
        r##"<path d="M44 138h112c0 12-8 16-16 16H60c-8 0-16-4-16-16z" fill="{c}"/><path d="M58 94h84v44H58z" fill="{a}"/><path d="M58 94l16-16h84l-16 16z" fill="{b}"/><path d="M142 94l16-16v40l-16 20z" fill="#e0bf52"/>"##;
    CUP, Own,
        r##"<path d="M58 76h84l-10 80c0 4-4 6-8 6H76c-4 0-8-2-8-6z" fill="{a}"/><path d="M52 64h96v14H52z" fill="{c}"/><path d="M64 108h72l-3 26H67z" fill="#f4f6f8"/><circle cx="100" cy="121" r="9" fill="{b}"/>"##;
    CAN, Own,
        r##"<path d="M58 62v80c0 10 84 10 84 0V62z" fill="{a}"/><path d="M58 86h84v38H58z" fill="#f4f6f8"/><circle cx="100" cy="105" r="13" fill="{b}"/><ellipse cx="100" cy="62" rx="42" ry="11" fill="#cfd6dd"/><ellipse cx="100" cy="62" rx="33" ry="7" fill="#aeb8c2"/>"##;
    JAR, Own,
        r##"<path d="M62 76h76c8 6 10 12 10 20v54c0 8-6 12-12 12H64c-6 0-12-4-12-12V96c0-8 2-14 10-20z" fill="{a}"/><path d="M62 52h76v20H62z" fill="{c}"/><path d="M52 102h96v34H52z" fill="#f8f4ea"/><path d="M72 119h56" stroke="{b}" stroke-width="8" stroke-linecap="round"/>"##;
    BOX, Own,
        r##"<path d="M58 48h70v114H58z" fill="{a}"/><path d="M128 48l18 12v90l-18 12z" fill="{c}"/><path d="M70 66h46v12H70z" fill="#f8f4ea"/><circle cx="93" cy="116" r="24" fill="{b}"/><path d="M76 112c8 14 26 14 34 0z" fill="#f8f4ea"/>"##;
    BAG, Own,
        r##"<path d="M60 54l6-8h68l6 8c-4 34-4 66 4 98l-6 8H62l-6-8c8-32 8-64 4-98z" fill="{a}"/><path d="M62 58h76M60 150h80" stroke="{c}" stroke-width="4" stroke-dasharray="4 5"/><ellipse cx="100" cy="104" rx="30" ry="24" fill="#f8f4ea"/><path d="M84 108c8-18 24-18 32 0-8 8-24 8-32 0z" fill="{b}"/>"##;
    MUG, Own,
        r##"<path d="M52 88h78v40c0 20-14 30-39 30s-39-10-39-30z" fill="{a}"/><path d="M130 98c26-4 26 34-2 34" stroke="{a}" stroke-width="10" fill="none"/><ellipse cx="91" cy="88" rx="39" ry="9" fill="#5b3a26"/><path d="M78 70c-8-10 8-16 0-28M104 70c-8-10 8-16 0-28" stroke="{b}" stroke-width="6" fill="none" stroke-linecap="round"/>"##;
    BOTTLE, Own,
        r##"<path d="M88 52h24v18c0 12 18 16 18 36v46c0 6-4 10-10 10H80c-6 0-10-4-10-10v-46c0-20 18-24 18-36z" fill="{a}"/><path d="M86 38h28v14H86z" fill="{c}"/><path d="M70 108h60v32H70z" fill="#f8f4ea"/><circle cx="100" cy="124" r="10" fill="{b}"/>"##;
    DRINK, Own,
        r##"<path d="M70 58l6-10h48l6 10v92l-6 10H76l-6-10z" fill="{a}"/><path d="M76 48h48l6 10H70z" fill="#cfd6dd"/><path d="M70 150h60l-6 10H76z" fill="#aeb8c2"/><path d="M70 118c22-30 38 10 60-22v34c-22 20-38-14-60 10z" fill="{b}"/><path d="M92 44h14v5H92z" fill="{c}"/>"##;
    GLASS, Of(["#8a2b46", "#b5526d", "#b9c3cd"]),
        r##"<path d="M66 48h68c4 34-6 58-34 58s-38-24-34-58z" fill="{c}" fill-opacity=".55"/><path d="M66 68h68c0 24-10 34-34 34S66 92 66 68z" fill="{a}"/><path d="M78 76c2 8 6 12 12 14" stroke="{b}" stroke-width="6" fill="none" stroke-linecap="round"/><path d="M100 106v44M76 156h48" stroke="{c}" stroke-width="8" stroke-linecap="round"/>"##;
    LOLLY, Own,
        r##"<path d="M92 136h16v28c0 8-16 8-16 0z" fill="#d9b98c"/><path d="M66 80c0-46 68-46 68 0v58H66z" fill="{a}"/><path d="M66 96c12 10 22-6 34 0s22 10 34 0V80c0-46-68-46-68 0z" fill="{b}"/><path d="M84 70v22" stroke="#fff" stroke-opacity=".6" stroke-width="7" stroke-linecap="round"/>"##;
    FROZEN, Own,
        r##"<path d="M42 70h116v80c0 6-4 10-10 10H52c-6 0-10-4-10-10z" fill="{a}"/><path d="M42 70l14-20h88l14 20z" fill="{c}"/><g stroke="#f4f8fb" stroke-width="7" stroke-linecap="round"><path d="M100 86v58M75 100l50 30M125 100l-50 30"/></g><circle cx="100" cy="115" r="7" fill="{b}"/>"##;
    PIZZA, Of(["#eac265", "#c8482f", "#c98a4b"]),
        r##"<path d="M46 66c34-22 74-22 108 0l-8 16c-30-16-62-16-92 0z" fill="{c}"/><path d="M54 82c30-16 62-16 92 0l-46 80z" fill="{a}"/><g fill="{b}"><circle cx="84" cy="92" r="10"/><circle cx="114" cy="94" r="9"/><circle cx="100" cy="124" r="9"/></g>"##;
    SWEET, Own,
        r##"<path d="M72 100L40 78v44zM128 100l32-22v44z" fill="{b}"/><circle cx="100" cy="100" r="34" fill="{a}"/><path d="M80 76c16 8 24 26 22 56M108 68c14 12 18 28 14 54" stroke="#f8f4ea" stroke-width="7" fill="none"/>"##;
    SPRAY, Own,
        r##"<path d="M80 84h36c16 10 20 24 20 42v26c0 6-4 10-10 10H74c-6 0-10-4-10-10v-26c0-18 0-32 16-42z" fill="{a}"/><path d="M80 46h44l14 10v8h-24v20H82z" fill="{c}"/><path d="M64 116h72v26H64z" fill="#f8f4ea"/><path d="M100 118c8 10 8 20 0 22-8-2-8-12 0-22z" fill="{b}"/><g fill="{b}"><circle cx="152" cy="52" r="4"/><circle cx="162" cy="60" r="4"/><circle cx="152" cy="68" r="4"/></g>"##;
    ROLL, Own,
        r##"<path d="M54 70v76c0 12 72 12 72 0V70z" fill="#eef1f4"/><ellipse cx="90" cy="70" rx="36" ry="14" fill="#dfe4e9"/><ellipse cx="90" cy="70" rx="12" ry="5" fill="{c}"/><path d="M126 82h26v70c-8-6-18 6-26 0z" fill="#f8fafc"/><path d="M54 112c24 10 48 10 72 0M54 128c24 10 48 10 72 0" stroke="{b}" stroke-width="5" fill="none"/>"##;
    PAW, Own,
        r##"<ellipse cx="100" cy="128" rx="36" ry="30" fill="{a}"/><g fill="{c}"><ellipse cx="56" cy="98" rx="13" ry="18"/><ellipse cx="84" cy="70" rx="14" ry="19"/><ellipse cx="116" cy="70" rx="14" ry="19"/><ellipse cx="144" cy="98" rx="13" ry="18"/></g><ellipse cx="100" cy="132" rx="18" ry="13" fill="{b}"/>"##;
    TUBE, Own,
        r##"<path d="M64 46h72l-10 94H74z" fill="{a}"/><path d="M60 40h80v10H60z" fill="{c}"/><path d="M78 142h44v18c0 4-44 4-44 0z" fill="{c}"/><path d="M70 74h60l-4 34H74z" fill="#f8f4ea"/><path d="M84 91h32" stroke="{b}" stroke-width="8" stroke-linecap="round"/>"##;
    PILL, Own,
        r##"<g transform="rotate(-38 100 100)"><path d="M100 74h34a26 26 0 0 1 0 52h-34z" fill="{a}"/><path d="M100 74H66a26 26 0 0 0 0 52h34z" fill="#f4f6f8"/></g><circle cx="138" cy="142" r="17" fill="{b}"/><path d="M128 136l20 12" stroke="#f8f4ea" stroke-width="4"/>"##;
    FEEDER, Own,
        r##"<path d="M88 44c0-10 24-10 24 0v14H88z" fill="#e0b48a"/><path d="M74 58h52v14H74z" fill="{c}"/><path d="M72 74h56c6 22 6 50 2 80-2 8-58 8-60 0-4-30-4-58 2-80z" fill="#eef3f7"/><path d="M69 112h62c1 14 1 28-1 42-2 8-58 8-60 0-2-14-2-28-1-42z" fill="{b}"/><path d="M118 88h8M118 102h10M118 118h10M118 134h10" stroke="{a}" stroke-width="4"/>"##;
    PAGES, Own,
        r##"<path d="M54 54h78v104H54z" fill="{a}"/><path d="M62 46h84v104H62z" fill="#f8f6f0"/><path d="M74 62h60v22H74z" fill="{b}"/><path d="M74 98h60M74 112h60M74 126h38" stroke="{c}" stroke-width="6" stroke-linecap="round"/>"##;
    BULB, Own,
        r##"<path d="M100 42c28 0 46 20 46 44 0 22-18 30-22 48H76c-4-18-22-26-22-48 0-24 18-44 46-44z" fill="{b}"/><path d="M78 140h44M82 152h36M90 162h20" stroke="{c}" stroke-width="8" stroke-linecap="round"/><path d="M86 132V98l14 12 14-12v34" stroke="{a}" stroke-width="6" fill="none"/>"##;
    GIFT, Own,
        r##"<path d="M52 94h96v60c0 4-4 8-8 8H60c-4 0-8-4-8-8z" fill="{a}"/><path d="M44 74h112v22H44z" fill="{c}"/><path d="M90 74h20v88H90z" fill="{b}"/><path d="M100 72C84 72 66 66 70 54s24-4 30 18c6-22 26-30 30-18s-14 18-30 18z" fill="none" stroke="{b}" stroke-width="8"/>"##;
    POT, Own,
        r##"<path d="M50 88h100v48c0 14-10 22-24 22H74c-14 0-24-8-24-22z" fill="{a}"/><path d="M44 76h112v14H44z" fill="{c}"/><path d="M90 62h20v14H90z" fill="{c}"/><path d="M50 104H34M150 104h16" stroke="{c}" stroke-width="9" stroke-linecap="round"/><path d="M64 104v24" stroke="{b}" stroke-width="8" stroke-linecap="round"/>"##;
    BOWL, Own,
        r##"<path d="M40 98h120c0 38-24 60-60 60S40 136 40 98z" fill="{a}"/><path d="M52 98c0-20 18-34 48-34s48 14 48 34z" fill="{b}"/><g fill="{c}"><circle cx="84" cy="84" r="7"/><circle cx="112" cy="80" r="7"/><circle cx="126" cy="92" r="6"/></g><path d="M58 118c6 16 14 24 28 28" stroke="#f8f4ea" stroke-opacity=".6" stroke-width="6" fill="none" stroke-linecap="round"/>"##;
}
